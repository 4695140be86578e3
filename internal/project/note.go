// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/store"
)

// readKey is one person reading one object with note text.
type readKey struct{ user, object string }

// readAgain is how long one audit row covers repeated reading of a note by the same
// person.
const readAgain = 5 * time.Minute

// Note opens a document for work. The access is recorded in the audit trail before the
// text is returned.
func (s *Service) Note(ctx context.Context, by account.User, id ID, doc annotate.DocumentID) (*Note, error) {
	ws, err := s.Enter(by, account.ReadNotes, id)
	if err != nil {
		return nil, err
	}
	if _, err := ws.Find(doc); err != nil {
		return nil, err
	}
	if err := s.AuditReading(by, id, id.Object("documents", doc)); err != nil {
		return nil, err
	}
	if s.May(by, id, account.Annotate) {
		ws.hold(by.ID, doc, s.opts.Now())
	}
	d, layer, err := ws.Fetch(doc)
	if err != nil {
		return nil, err
	}
	return s.view(ws, by, doc, d, layer)
}

// AuditReading records that a person is about to read the object.
func (s *Service) AuditReading(by account.User, id ID, object string) error {
	key, now := readKey{by.ID, object}, s.opts.Now()
	s.mu.Lock()
	recent := within(readAgain, s.reads[key], now)
	s.mu.Unlock()
	if recent {
		return nil
	}
	err := s.Transact(id, func(tx *store.Tx) error {
		return tx.Audit(EventBy(by, "read", object))
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reads) > 10_000 {
		clear(s.reads)
	}
	s.reads[key] = now
	return nil
}

// view returns a document as shown to a person. That they see suggestions is recorded
// before the suggestions are returned.
func (s *Service) view(ws *Workspace, by account.User, doc annotate.DocumentID, d annotate.Document, l *annotate.Layer) (*Note, error) {
	mine := func(undone bool) bool {
		return slices.ContainsFunc(l.History, func(c annotate.Change) bool { return c.By == by.ID && c.Undone == undone })
	}
	n := &Note{ID: doc, Document: d, Layer: l, CanUndo: mine(false), CanRedo: mine(true)}
	names := ws.Names()
	labels := ws.Labels()
	n.Labels, n.Renamed, n.Places = names.Offered(labels), names.present, names.Places(labels)
	n.Blind = ws.isBlind(doc)
	ws.suggest(n)
	if len(n.Suggestions) > 0 {
		n.By = ws.model.SuggestedBy(n.Suggestions)
		return n, s.recordShown(ws, by, doc)
	}
	return n, nil
}

// Labels are all labels of the project, also those that are retired.
func (ws *Workspace) Labels() annotate.LabelSet {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.info.Labels
}

// Edit makes one edit on the revision that the person saw. The verbs "undo" and "redo"
// call [Service.Undo] and [Service.Redo]. If the revision is out of date and what the edit is
// about may have changed since (see [annotate.Layer.Stands]), nothing changes and a
// [*ConflictError] carries both versions.
func (s *Service) Edit(ctx context.Context, by account.User, id ID, doc annotate.DocumentID, revision int, e annotate.Edit) (*Note, error) {
	return s.edit(by, id, doc, nil, revision, e)
}

// EditNote is [Service.Edit] of a note that was just opened. It reads the note again only
// if somebody has changed it since.
func (s *Service) EditNote(ctx context.Context, by account.User, id ID, n *Note, revision int, e annotate.Edit) (*Note, error) {
	return s.edit(by, id, n.ID, n, revision, e)
}

// Undo reverts this person's newest change of the document.
func (s *Service) Undo(ctx context.Context, by account.User, id ID, doc annotate.DocumentID, revision int) (*Note, error) {
	return s.edit(by, id, doc, nil, revision, annotate.Edit{Verb: verbUndo})
}

// Redo repeats the change that this person undid last.
func (s *Service) Redo(ctx context.Context, by account.User, id ID, doc annotate.DocumentID, revision int) (*Note, error) {
	return s.edit(by, id, doc, nil, revision, annotate.Edit{Verb: verbRedo})
}

const (
	verbUndo annotate.Verb = "undo"
	verbRedo annotate.Verb = "redo"
)

// change makes the edit on the layer.
func (s *Service) change(by account.User, d annotate.Document, l *annotate.Layer, labels annotate.LabelSet, blind bool, e annotate.Edit) error {
	switch e.Verb {
	case verbUndo:
		return l.Undo(d.Text, by.ID)
	case verbRedo:
		return l.Redo(d.Text, by.ID)
	}
	if err := knownLabels(labels, e); err != nil {
		return err
	}
	if len(e.Suggestions) > 0 && blind {
		return Invalidf("mark the PHI without suggestions", "this note is read without suggestions")
	}
	return l.Apply(d.Text, e, by.ID, s.opts.Now().UTC())
}

func knownLabels(labels annotate.LabelSet, e annotate.Edit) error {
	used := []annotate.Label{e.Label}
	for _, s := range e.Spans {
		used = append(used, s.Label)
	}
	for _, s := range e.Suggestions {
		used = append(used, s.Span.Label)
	}
	for _, l := range used {
		if l != "" && !labels.Has(l) {
			return Invalidf("the legend of a note lists the labels, and /projects/{project}/labels of the API", "the project has no such label")
		}
	}
	return nil
}

func (s *Service) edit(by account.User, id ID, doc annotate.DocumentID, opened *Note, revision int, e annotate.Edit) (*Note, error) {
	ws, err := s.Enter(by, account.Annotate, id)
	if err != nil {
		return nil, err
	}
	before, err := ws.Find(doc)
	if err != nil {
		return nil, err
	}
	d, layer, err := s.apply(ws, by, doc, opened, revision, e)
	if errors.Is(err, errOldRevision) {
		theirs, err := s.view(ws, by, doc, d, layer)
		if err != nil {
			return nil, err
		}
		return nil, &ConflictError{Mine: ws.Names().present.Edit(e), Theirs: theirs}
	}
	if err != nil {
		return nil, editError(err)
	}
	s.afterEdit(ws, doc, before.State, layer.State)
	return s.view(ws, by, doc, d, layer)
}

// apply makes an edit in one transaction. It does nothing slow, and nothing that waits
// for ws.mu: the view is made afterwards.
func (s *Service) apply(ws *Workspace, by account.User, doc annotate.DocumentID, opened *Note, revision int, e annotate.Edit) (d annotate.Document, layer *annotate.Layer, err error) {
	ws.edits.Lock()
	defer ws.edits.Unlock()
	ws.mu.RLock()
	labels, names, drawnBlind := ws.info.Labels, ws.Names(), ws.drawnBlind(doc)
	ws.mu.RUnlock()
	st, err := ws.Find(doc)
	if err != nil {
		return d, nil, err
	}
	e = names.present.Edit(e)
	if err := names.offers(e); err != nil {
		return d, nil, err
	}
	err = s.Transact(ws.ID, func(tx *store.Tx) (err error) {
		if d, layer, err = ws.newest(tx, doc, opened, st.Revision); err != nil {
			return err
		}
		layer.Rename(names.present) // an opened note may be older than a rename
		if layer.Revision != revision && !layer.Stands(revision, e) {
			return errOldRevision
		}
		was := layer.Spans()
		blind := st.Help == HelpNone && st.State != annotate.Done && drawnBlind
		if err := s.change(by, d, layer, labels, blind, e); err != nil {
			return err
		}
		st.Help = st.Help.finishing(st.State, layer.State, drawnBlind)
		st.enter(was, layer)
		return errors.Join(
			store.PutJSON(tx, bucketLayers, docKey(doc), layer), putStatus(tx, doc, st),
			tx.Audit(EventBy(by, string(e.Verb), ws.ID.Object("documents", doc), describe(d.Text, e, layer.Revision))),
		)
	})
	if err != nil {
		return d, layer, err
	}
	ws.mu.Lock()
	ws.put(doc, &st)
	ws.mu.Unlock()
	return d, layer, nil
}

// newest returns a document and its layer to change: those of the opened note if its
// revision is the newest, else the stored ones. A document never changes.
func (ws *Workspace) newest(tx *store.Tx, doc annotate.DocumentID, opened *Note, revision int) (annotate.Document, *annotate.Layer, error) {
	if opened != nil && opened.Layer.Revision == revision {
		return opened.Document, opened.Layer.Clone(), nil
	}
	return ws.open(tx, doc, ws.Links())
}

// Earlier is an opened note as its pages showed it at an earlier revision, without its
// history. It is not ok if the history does not tell; see [annotate.Layer.At].
func (s *Service) Earlier(_ context.Context, by account.User, id ID, n *Note, revision int) (earlier *Note, ok bool, err error) {
	ws, err := s.Enter(by, account.ReadNotes, id)
	if err != nil {
		return nil, false, err
	}
	then := *n
	if then.Layer, ok = n.Layer.At(n.Document.Text, revision); !ok {
		return nil, false, nil
	}
	ws.suggest(&then)
	return &then, true, nil
}

// suggest fills in the open suggestions of a note with this layer, and their key.
func (ws *Workspace) suggest(n *Note) {
	n.Suggestions = ws.suggested(n.ID, n.Document, n.Layer)
	n.SuggestionsKey = ws.Names().keyed(SuggestionsKey(n.Suggestions))
}

// errOldRevision ends the transaction of an edit that was too late.
var errOldRevision = errors.New("project: edit of an old revision")

// describe is the detail of an edit's audit row: code point offsets, labels and ids, no
// text.
func describe(text string, e annotate.Edit, revision int) string {
	offsets := annotate.NewOffsets(text)
	place := func(s annotate.Span) string {
		start, err1 := offsets.Rune(s.Start)
		end, err2 := offsets.Rune(s.End)
		if err1 != nil || err2 != nil {
			return "nowhere " + string(s.Label) // a suggestion that the layer did not accept
		}
		return fmt.Sprintf("%d-%d %s", start, end, s.Label)
	}
	parts := []string{fmt.Sprintf("revision %d", revision)}
	for _, span := range e.Spans {
		parts = append(parts, place(span))
	}
	for _, g := range e.Suggestions {
		parts = append(parts, fmt.Sprintf("%s %.2f", place(g.Span), g.Score))
	}
	for _, n := range e.IDs {
		parts = append(parts, fmt.Sprintf("#%d", n))
	}
	if e.Label != "" {
		parts = append(parts, "to "+string(e.Label))
	}
	const enough = 40 // a "tag all" may name thousands
	if len(parts) > enough {
		parts = append(parts[:enough], fmt.Sprintf("and %d more", len(parts)-enough))
	}
	return strings.Join(parts, ", ")
}

// editError turns the domain's refusals into messages.
func editError(err error) error {
	hints := []struct {
		is   error
		hint string
	}{
		{annotate.ErrNoSuchAnnotation, "it may have been removed; check the current note"},
		{annotate.ErrNothingToUndo, "only your own changes to this note can be undone and made again"},
		{annotate.ErrUndoBlocked, "change the span by hand"},
		{annotate.ErrNothingToDo, "the note already has this annotation"},
		{annotate.ErrSpanRange, "select the words again"},
		{annotate.ErrSpanCut, "select the words again"},
		{annotate.ErrSpanOverlap, "tag one span at a time"},
	}
	for _, h := range hints {
		if errors.Is(err, h.is) {
			return &Error{Kind: Invalid, Message: h.is.Error(), Hint: h.hint, Err: err}
		}
	}
	return err
}

func (s *Service) afterEdit(ws *Workspace, doc annotate.DocumentID, before, after annotate.State) {
	s.TellDocument(ws.ID, doc)
	s.Tell(ws.ID, TopicQueue)
	if before == annotate.Done || after == annotate.Done {
		ws.model.FinishedChanged()
	}
}

// MatchesIn lists the other occurrences of the span's words in a note, to preview before
// tagging them all. Annotated places are left out.
func (n *Note) MatchesIn(span annotate.Span, fold bool) []annotate.Span {
	taken := n.Layer.Spans()
	return slices.DeleteFunc(annotate.Matches(n.Document.Text, span, fold), func(m annotate.Span) bool {
		return slices.ContainsFunc(taken, m.Overlaps)
	})
}
