// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"cmp"
	"slices"
	"time"
)

// State is how far work on a document has come.
type State string

// The states of a document, in the order they are gone through.
const (
	New        State = "new"
	InProgress State = "in progress"
	Done       State = "done"
)

// Source says how an annotation came to be.
type Source string

// The sources of an annotation.
const (
	Manual     Source = "manual"     // a person marked it
	Accepted   Source = "accepted"   // a person accepted a suggestion
	Propagated Source = "propagated" // a person tagged all matches of another
	Imported   Source = "imported"   // it came with the file
)

// Annotation is a span that a person stands for.
type Annotation struct {
	ID     uint64    `json:"id"` // unique in its layer, never reused
	Span   Span      `json:"span"`
	Source Source    `json:"source"`
	By     string    `json:"by"` // account id
	At     time.Time `json:"at"`
	Model  int       `json:"model,omitempty"` // of the accepted suggestion
	Score  float64   `json:"score,omitempty"` // of the accepted suggestion
}

// Suggestion is a model's span. It is not an annotation until accepted.
type Suggestion struct {
	Span  Span    `json:"span"`
	Score float64 `json:"score"` // mean marginal probability of its label over its tokens, 0 to 1
	Model int     `json:"model"` // number of the model that proposed it
}

// Layer is what people have said about one document.
type Layer struct {
	Revision    int          `json:"revision"` // raised by one with every change
	State       State        `json:"state"`
	Annotations []Annotation `json:"annotations"` // in text order, without overlap
	Rejected    []Span       `json:"rejected"`    // suggestions refused for good
	History     []Change     `json:"history"`     // oldest first, at most historyLimit
	LastID      uint64       `json:"last_id"`
}

// Change is one step of a layer's history: what one person's one action took
// out and put in. Undoing swaps the two.
type Change struct {
	By       string       `json:"by"`
	At       time.Time    `json:"at"`
	Verb     Verb         `json:"verb"`
	Removed  []Annotation `json:"removed,omitempty"`
	Added    []Annotation `json:"added,omitempty"`
	Rejected []Span       `json:"rejected,omitempty"`
	From, To State        // states before and after; equal when the change left it
	Undone   bool         `json:"undone,omitempty"`
	Revision int          `json:"revision,omitempty"` // that it, or its last undoing or redoing, made; 0 in layers of before that was kept
}

// historyLimit is how many changes a layer remembers for undo. The audit trail
// keeps all of them.
const historyLimit = 500

// Spans lists the bare spans in text order.
func (l *Layer) Spans() []Span {
	spans := make([]Span, len(l.Annotations))
	for i, a := range l.Annotations {
		spans[i] = a.Span
	}
	return spans
}

// Find returns the annotation with the id.
func (l *Layer) Find(id uint64) (Annotation, bool) {
	i := slices.IndexFunc(l.Annotations, func(a Annotation) bool { return a.ID == id })
	if i < 0 {
		return Annotation{}, false
	}
	return l.Annotations[i], true
}

// Since lists what was done, undone or redone after a revision, oldest first, as far
// as the history goes.
func (l *Layer) Since(revision int) []Change {
	later := slices.DeleteFunc(slices.Clone(l.History), func(c Change) bool { return c.Revision <= revision })
	slices.SortStableFunc(later, func(a, b Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return later
}

// Finished is the change that made a document done; false when it is not done, or
// came so.
func (l *Layer) Finished() (Change, bool) {
	for _, c := range slices.Backward(l.History) {
		if l.State == Done && !c.Undone && c.From != Done && c.To == Done {
			return c, true
		}
	}
	return Change{}, false
}

// Last is this person's newest change that is not undone, which [Layer.Undo] takes
// back.
func (l *Layer) Last(by string) (Change, bool) {
	i := l.newest(by)
	if i < 0 {
		return Change{}, false
	}
	return l.History[i], true
}

// newest is the place of that change in the history, or -1.
func (l *Layer) newest(by string) int {
	for i, c := range slices.Backward(l.History) {
		if c.By == by && !c.Undone {
			return i
		}
	}
	return -1
}

// Clone is a copy that shares nothing with l that a change could touch.
func (l *Layer) Clone() *Layer {
	c := *l
	c.Annotations = slices.Clone(l.Annotations)
	c.Rejected = slices.Clone(l.Rejected)
	c.History = slices.Clone(l.History)
	return &c
}

// Open returns the suggestions that a person has not dealt with: those that
// overlap no annotation and were not rejected.
func (l *Layer) Open(suggestions []Suggestion) []Suggestion {
	var open []Suggestion
	for _, s := range suggestions {
		taken := slices.ContainsFunc(l.Annotations, func(a Annotation) bool { return a.Span.Overlaps(s.Span) })
		if !taken && !slices.Contains(l.Rejected, s.Span) {
			open = append(open, s)
		}
	}
	return open
}
