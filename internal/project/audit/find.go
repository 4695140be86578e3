// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/store"
)

// auditPlace is the span of the note that a placeholder of the audited text
// replaces. A note's text never changes, so places remain valid.
type auditPlace struct {
	Start annotate.ByteOff `json:"start"`
	End   annotate.ByteOff `json:"end"`
}

// SampleAuditFindings lists what people found in an audit, also in one that was never
// read to its end. Audit 0 is the newest. The access is recorded in the audit trail before
// the text is returned.
func (s *Service) SampleAuditFindings(ctx context.Context, by account.User, id project.ID, number int) (Findings, error) {
	ws, err := s.projects.Enter(by, account.ReadNotes, id)
	if err != nil {
		return Findings{}, err
	}
	a, err := s.audit(ws, number)
	if err != nil {
		return Findings{}, err
	}
	out := Findings{Audit: a.Number}
	info, err := s.sanitize.StoredBundle(id, a.Bundle)
	if err != nil {
		return out, err
	}
	out.Labels = redacted(ws, info)
	for i, n := range a.Notes {
		if n.Found == 0 || !ws.Has(n.Document) {
			continue
		}
		if err := s.projects.AuditReading(by, id, id.Object("audits", a.Number, "notes", i+1)); err != nil {
			return out, err
		}
		found, err := s.findingsIn(ws, a, i+1, info)
		if err != nil {
			return out, err
		}
		out.All = append(out.All, found...)
		out.Lost += n.Found - len(found)
	}
	return out, nil
}

// redacted returns the labels for new spans that a release with the bundle redacts.
func redacted(ws *project.Workspace, info sanitize.Bundle) []annotate.Label {
	names := ws.Names()
	return slices.DeleteFunc(names.Offered(ws.Labels()).Labels(), func(l annotate.Label) bool { return info.Excludes(names, l) })
}

// auditedNote is everything stored about one note of an audit that was read.
type auditedNote struct {
	text   ReleasedText
	read   auditRead
	places []auditPlace
}

func (s *Service) auditedNote(ws *project.Workspace, number, index int) (n auditedNote, err error) {
	key := textKey(number, index)
	err = s.projects.View(ws.ID, func(tx *store.Tx) error {
		var e1, e2, e3 error
		n.text, e1 = store.GetJSON[ReleasedText](tx, bucketAuditTexts, key)
		n.read, e2 = store.GetJSON[auditRead](tx, bucketAuditReads, key)
		n.places, e3 = store.GetJSON[[]auditPlace](tx, bucketAuditPlaces, key)
		if errors.Is(e3, store.ErrNotFound) {
			n.read.Marks, e3 = nil, nil // audits drawn by older versions stored no places
		}
		return errors.Join(e1, e2, e3)
	})
	return n, err
}

// findingsIn returns the findings of a note, each with the spans that it would
// become.
func (s *Service) findingsIn(ws *project.Workspace, a Audit, index int, info sanitize.Bundle) ([]Finding, error) {
	found, err := s.foundIn(ws, a, index, info)
	if err != nil || len(found.spans) == 0 {
		return nil, err
	}
	out, shown := make([]Finding, len(found.spans)), slices.Clone(found.spans)
	for i, span := range found.spans {
		fresh := found.fresh(span, found.goes)
		out[i] = Finding{Index: index, From: found.from[i], Added: len(fresh) == 0, Passing: labelsOf(fresh)}
		if len(fresh) > 0 {
			shown[i] = annotate.Span{Start: fresh[0].Start, End: fresh[len(fresh)-1].End}
		}
	}
	offsets := annotate.NewOffsets(found.Text)
	for i, label := range s.labels.LabelSpans(ws, found.Document, shown, redacted(ws, info)) {
		shown[i].Label = label
		out[i].Excerpt = project.ExcerptOf(found.id, found.Text, offsets, shown[i])
	}
	return out, nil
}

// labelsOf returns the distinct labels of spans.
func labelsOf(spans []annotate.Span) []annotate.Label {
	var out []annotate.Label
	for _, s := range spans {
		if s.Label != "" && !slices.Contains(out, s.Label) {
			out = append(out, s.Label)
		}
	}
	return out
}

// spans returns the runs of marked tokens as spans of the note, and the first token
// of each. Outside the placeholders both texts have the same bytes.
func (n auditedNote) spans(note string) (spans []annotate.Span, from []int, err error) {
	tokens, offsets := annotate.Tokenize(n.text.Text), annotate.NewOffsets(n.text.Text)
	for i := 0; i < len(n.read.Marks); {
		j := i + 1
		for j < len(n.read.Marks) && n.read.Marks[j] == n.read.Marks[j-1]+1 {
			j++
		}
		first, last := n.read.Marks[i], n.read.Marks[j-1]
		span := annotate.Span{Start: tokens[first].Start, End: tokens[last].End}
		shift, err := n.shift(offsets, span.Start)
		if err != nil {
			return nil, nil, err
		}
		there := annotate.Span{Start: span.Start + shift, End: span.End + shift}
		if there.Start < 0 || int(there.End) > len(note) || there.Surface(note) != span.Surface(n.text.Text) {
			return nil, nil, fmt.Errorf("bytes %d to %d are not those of the note", span.Start, span.End)
		}
		spans, from, i = append(spans, there), append(from, first), j
	}
	return spans, from, nil
}

// shift is the distance from an offset in the redacted text to the same byte in the
// note.
func (n auditedNote) shift(offsets *annotate.Offsets, at annotate.ByteOff) (shift annotate.ByteOff, err error) {
	for i, r := range n.text.Redactions {
		end, err := offsets.Byte(r.End)
		if err != nil {
			return 0, err
		}
		if end > at || i >= len(n.places) {
			break
		}
		shift = n.places[i].End - end
	}
	return shift, nil
}

// AddAuditFindings turns findings into spans of their notes and returns how many it
// added. Findings that a note already contains are skipped. Annotations that the
// bundle does not redact get the new label. A label that the audit's bundle does
// not redact is refused. The audit stays valid, because these additions only redact
// what it found.
func (s *Service) AddAuditFindings(ctx context.Context, by account.User, id project.ID, number int, chosen []LabelledFinding) (added int, err error) {
	ws, err := s.projects.Enter(by, account.Annotate, id)
	if err != nil {
		return 0, err
	}
	a, err := s.audit(ws, number)
	if err != nil {
		return 0, err
	}
	info, err := s.sanitize.StoredBundle(id, a.Bundle)
	if err != nil {
		return 0, err
	}
	notes, err := a.byNote(chosen, redacted(ws, info))
	if err != nil {
		return 0, err
	}
	for _, index := range slices.Sorted(maps.Keys(notes)) {
		n, err := s.addFindings(ctx, ws, by, a, index, info, notes[index])
		if added += n; err != nil {
			return added, err
		}
	}
	s.projects.Tell(id, project.TopicPublish)
	return added, nil
}

// byNote groups the chosen findings by note. It fails if one of them cannot be
// added.
func (a Audit) byNote(chosen []LabelledFinding, labels []annotate.Label) (map[int][]LabelledFinding, error) {
	notes := map[int][]LabelledFinding{}
	for _, c := range chosen {
		if c.Index < 1 || c.Index > len(a.Notes) {
			return nil, project.NotFoundf("audit %d has no note %d", a.Number, c.Index)
		}
		if !slices.Contains(labels, c.Label) {
			return nil, project.Invalidf("choose one of the labels that the page of the audit offers", "bundle %d, which audit %d tested, does not redact this label", a.Bundle, a.Number)
		}
		notes[c.Index] = append(notes[c.Index], c)
	}
	return notes, nil
}

// addFindings edits one note as one undoable change. A new span replaces an old one
// only if both have the same ends; it then changes the label.
func (s *Service) addFindings(ctx context.Context, ws *project.Workspace, by account.User, a Audit, index int, info sanitize.Bundle, chosen []LabelledFinding) (int, error) {
	doc := a.Notes[index-1].Document
	found, err := s.foundIn(ws, a, index, info)
	if err != nil {
		return 0, err
	}
	added, fresh := 0, []annotate.Span(nil)
	for _, c := range chosen {
		at := slices.Index(found.from, c.From)
		if at < 0 {
			return 0, project.NotFoundf("nothing was found at word %d of note %d of audit %d", c.From, index, a.Number)
		}
		more := found.fresh(found.spans[at], slices.Concat(found.goes, fresh))
		for i := range more {
			more[i].Label = c.Label
		}
		fresh = append(fresh, more...)
		added += min(1, len(more))
	}
	if added == 0 {
		return 0, nil
	}
	before := stateOf(ws)
	revision, err := s.addSpans(ctx, ws, by, doc, found.layer, fresh)
	if err != nil {
		return 0, err
	}
	return added, s.auditHolds(ws, by, a.Number, before.fingerprint(), before.with(doc, revision).fingerprint())
}

// addSpans adds spans, keeps a finished note finished, and returns the note's new
// revision.
func (s *Service) addSpans(ctx context.Context, ws *project.Workspace, by account.User, doc annotate.DocumentID, layer *annotate.Layer, spans []annotate.Span) (int, error) {
	note, err := s.projects.Edit(ctx, by, ws.ID, doc, layer.Revision, annotate.Edit{Verb: annotate.VerbTag, Spans: spans})
	if err == nil && layer.State == annotate.Done {
		note, err = s.projects.Edit(ctx, by, ws.ID, doc, note.Layer.Revision, annotate.Edit{Verb: annotate.VerbFinish})
	}
	if err != nil {
		return 0, err
	}
	return note.Layer.Revision, nil
}

// auditHolds moves an audit that was valid for the state before to the state after.
// Any other change in between still invalidates it.
func (s *Service) auditHolds(ws *project.Workspace, by account.User, number int, before, after string) error {
	ev := project.EventBy(by, "add findings", ws.ID.Object("audits", number))
	return s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		a, err := store.GetJSON[Audit](tx, bucketAudits, store.Key(uint64(number)))
		if err != nil || a.Revisions != before {
			return err
		}
		a.Revisions = after
		return store.PutJSON(tx, bucketAudits, store.Key(uint64(number)), a)
	})
}
