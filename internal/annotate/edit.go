// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Verb is the kind of an edit. Names are stored: do not change them.
type Verb string

// The verbs of an edit.
const (
	VerbTag     Verb = "tag"     // add Spans, replacing every annotation they overlap
	VerbTagAll  Verb = "tag-all" // add Spans where there is no annotation; sources are Propagated
	VerbRemove  Verb = "remove"  // remove annotations IDs
	VerbRelabel Verb = "relabel" // give annotations IDs the label Label
	VerbResize  Verb = "resize"  // move annotation IDs[0] to the ends of Spans[0]
	VerbAccept  Verb = "accept"  // add the Suggestions as they are
	VerbReject  Verb = "reject"  // remember that Suggestions are wrong
	VerbFinish  Verb = "finish"  // state Done
	VerbReopen  Verb = "reopen"  // state InProgress
)

// Edit is one action of one person on one layer.
type Edit struct {
	Verb        Verb
	Spans       []Span
	IDs         []uint64
	Label       Label
	Suggestions []Suggestion
}

// Errors of an edit.
var (
	// ErrNoSuchAnnotation is returned when an edit names an unknown annotation.
	ErrNoSuchAnnotation = errors.New("no such annotation")
	// ErrNothingToUndo is returned when this person has no change to undo or redo here.
	ErrNothingToUndo = errors.New("nothing to undo or redo")
	// ErrUndoBlocked is returned when someone else has since changed the same spans.
	ErrUndoBlocked = errors.New("somebody else has changed the same spans since")
	// ErrNothingToDo is returned when an edit would change nothing.
	ErrNothingToDo = errors.New("nothing to change")
)

// Apply makes the edit on the layer of the document with this text. On an error the layer
// is unchanged.
func (l *Layer) Apply(text string, e Edit, by string, at time.Time) error {
	c, err := l.change(text, e, by, at)
	if err != nil {
		return err
	}
	next := l.Clone()
	next.dropRedo(by)
	if err := next.perform(text, c); err != nil {
		return err
	}
	c.Revision = next.Revision
	next.remember(c)
	*l = *next
	return nil
}

// Undo undoes the newest change of this person that is not undone.
func (l *Layer) Undo(text, by string) error {
	i := l.newest(by)
	if i < 0 {
		return ErrNothingToUndo
	}
	return l.replay(text, i, l.undoing(i), true)
}

// Redo makes the oldest undone change of this person again.
func (l *Layer) Redo(text, by string) error {
	for i, c := range l.History {
		if c.By == by && c.Undone {
			c.Undone = false
			return l.replay(text, i, c, false)
		}
	}
	return ErrNothingToUndo
}

func (l *Layer) replay(text string, i int, c Change, undone bool) error {
	next := l.Clone()
	if err := next.perform(text, l.renames.change(c)); err != nil {
		return fmt.Errorf("%w: %w", ErrUndoBlocked, err)
	}
	next.History[i].Undone, next.History[i].Revision = undone, next.Revision
	*l = *next
	return nil
}

// undoing is the change that undoes change i. It also restores the state, unless a later
// change is still in effect: then a document whose annotations change is in progress, and
// any other keeps its state.
func (l *Layer) undoing(i int) Change {
	c := l.History[i]
	inverse := c.inverse()
	stands := slices.ContainsFunc(l.History[i+1:], func(later Change) bool { return !later.Undone })
	switch {
	case stands && len(c.Removed)+len(c.Added)+len(c.Rejected) > 0:
		inverse.To = InProgress
	case stands:
		inverse.To = l.State
	}
	return inverse
}

// inverse swaps what a change removed and added. perform inverts rejections, by Undone.
func (c Change) inverse() Change {
	c.Removed, c.Added, c.From, c.To = c.Added, c.Removed, c.To, c.From
	c.Undone = true
	return c
}

// change computes what e removes and adds, without doing it.
func (l *Layer) change(text string, e Edit, by string, at time.Time) (Change, error) {
	c := Change{By: by, At: at, Verb: e.Verb, From: l.State, To: InProgress}
	var err error
	switch e.Verb {
	case VerbTag:
		c.Removed = l.overlapping(e.Spans)
		c.Added = l.fresh(e.Spans, Manual, by, at)
	case VerbTagAll:
		c.Added = l.fresh(l.uncovered(e.Spans), Propagated, by, at)
	case VerbRemove:
		c.Removed, err = l.named(e.IDs)
	case VerbRelabel:
		c.Removed, err = l.named(e.IDs)
		c.Added = l.relabelled(c.Removed, e.Label, by, at)
	case VerbResize:
		err = l.resize(&c, e, by, at)
	case VerbAccept:
		c.Added = l.accepted(e.Suggestions, by, at)
	case VerbReject:
		c.Rejected = l.unrejected(e.Suggestions)
	case VerbFinish:
		c.To = Done
	case VerbReopen:
	default:
		err = fmt.Errorf("unknown edit %q", string(e.Verb))
	}
	if err == nil && c.empty() {
		err = ErrNothingToDo
	}
	for _, a := range c.Added {
		err = cmp.Or(err, CheckLabel(a.Span.Label))
	}
	return c, err
}

// empty reports whether a change has no effect. Only finishing and reopening are about the
// state itself; other verbs change it as a side effect.
func (c Change) empty() bool {
	if c.Verb == VerbFinish || c.Verb == VerbReopen {
		return c.From == c.To
	}
	return len(c.Removed) == 0 && len(c.Added) == 0 && len(c.Rejected) == 0
}

func (l *Layer) resize(c *Change, e Edit, by string, at time.Time) error {
	if len(e.IDs) != 1 || len(e.Spans) != 1 {
		return fmt.Errorf("resize takes one annotation and one span, got %d and %d", len(e.IDs), len(e.Spans))
	}
	old, found := l.Find(e.IDs[0])
	if !found {
		return ErrNoSuchAnnotation
	}
	span := e.Spans[0]
	span.Label = old.Span.Label
	c.Removed = l.overlapping([]Span{old.Span, span})
	c.Added = l.fresh([]Span{span}, Manual, by, at)
	return nil
}

func (l *Layer) overlapping(spans []Span) []Annotation {
	var hit []Annotation
	for _, a := range l.Annotations {
		if slices.ContainsFunc(spans, a.Span.Overlaps) {
			hit = append(hit, a)
		}
	}
	return hit
}

// uncovered keeps the spans that overlap no annotation.
func (l *Layer) uncovered(spans []Span) []Span {
	var free []Span
	for _, s := range spans {
		if len(l.overlapping([]Span{s})) == 0 {
			free = append(free, s)
		}
	}
	return free
}

func (l *Layer) named(ids []uint64) ([]Annotation, error) {
	var out []Annotation
	for _, id := range ids {
		a, found := l.Find(id)
		if !found {
			return nil, ErrNoSuchAnnotation
		}
		out = append(out, a)
	}
	return out, nil
}

func (l *Layer) fresh(spans []Span, source Source, by string, at time.Time) []Annotation {
	out := make([]Annotation, len(spans))
	for i, s := range spans {
		out[i] = Annotation{ID: l.LastID + uint64(i) + 1, Span: s, Source: source, By: by, At: at}
	}
	return out
}

func (l *Layer) relabelled(old []Annotation, label Label, by string, at time.Time) []Annotation {
	spans := make([]Span, len(old))
	for i, a := range old {
		spans[i] = Span{a.Span.Start, a.Span.End, label}
	}
	return l.fresh(spans, Manual, by, at)
}

func (l *Layer) accepted(suggestions []Suggestion, by string, at time.Time) []Annotation {
	var out []Annotation
	for _, s := range l.Open(suggestions) {
		a := l.fresh([]Span{s.Span}, Accepted, by, at)[0]
		a.ID += uint64(len(out))
		a.Model, a.Score = s.Model, s.Score
		out = append(out, a)
	}
	return out
}

func (l *Layer) unrejected(suggestions []Suggestion) []Span {
	var out []Span
	for _, s := range suggestions {
		if !slices.Contains(l.Rejected, s.Span) {
			out = append(out, s.Span)
		}
	}
	return out
}

// perform removes c.Removed, adds c.Added, and checks the result against the text. It
// raises the revision.
func (l *Layer) perform(text string, c Change) error {
	for _, a := range c.Removed {
		i := slices.IndexFunc(l.Annotations, func(b Annotation) bool { return a.ID == b.ID })
		if i < 0 {
			return ErrNoSuchAnnotation
		}
		l.Annotations = slices.Delete(l.Annotations, i, i+1)
	}
	for _, a := range c.Added {
		l.LastID = max(l.LastID, a.ID)
	}
	l.Annotations = append(l.Annotations, c.Added...)
	slices.SortFunc(l.Annotations, func(a, b Annotation) int { return CompareSpans(a.Span, b.Span) })
	if err := CheckSpans(text, l.Spans()); err != nil {
		return err
	}
	l.reject(c)
	l.State = c.To
	l.Revision++
	return nil
}

func (l *Layer) reject(c Change) {
	if !c.Undone {
		l.Rejected = append(l.Rejected, c.Rejected...)
		return
	}
	l.Rejected = slices.DeleteFunc(l.Rejected, func(s Span) bool { return slices.Contains(c.Rejected, s) })
}

// dropRedo drops the undone changes of this person: a new change ends the redo list.
func (l *Layer) dropRedo(by string) {
	l.History = slices.DeleteFunc(l.History, func(c Change) bool { return c.By == by && c.Undone })
}

func (l *Layer) remember(c Change) {
	l.History = append(l.History, c)
	if extra := len(l.History) - historyLimit; extra > 0 {
		l.History = slices.Delete(l.History, 0, extra)
	}
}
