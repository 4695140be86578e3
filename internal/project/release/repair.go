// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/publish"
	"hide/internal/store"
)

// Mark is a part of a candidate's note in which a reader found an identifier. Places are in
// code points of the released text.
type Mark struct {
	Note  int              `json:"note"` // its place in the candidate, from 0
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// Found are marks in one candidate.
type Found struct {
	Candidate int
	Marks     []Mark
}

// Findings are what the readers of a review found until a time.
type Findings struct {
	Review int
	At     time.Time
	Found  []Found
}

// StartRepair starts to freeze a candidate that redacts what its parent redacts, and what was
// found in it or in candidates that it is a repair of. Nothing else is changed: no word of the
// child is missing in the parent, so that a bound on the parent holds for the child.
func (s *Service) StartRepair(ctx context.Context, by account.User, id project.ID, parent int, findings Findings) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	c, err := s.StoredCandidate(id, parent)
	if err != nil {
		return err
	}
	if err := c.there(); err != nil {
		return err
	}
	if c.Kind != KindText {
		return project.Invalidf("end the review, add the findings to the notes, and freeze a new candidate",
			"%s cannot be repaired: with other terms in its notes, other patients would share a class", c.Title())
	}
	if !slices.ContainsFunc(findings.Found, func(f Found) bool { return len(f.Marks) > 0 }) {
		return project.Invalidf("mark an identifier first", "nothing was found in candidate %d", parent)
	}
	counting, err := s.counting(ctx, ws)
	if err != nil {
		return err
	}
	why, err := s.Stale(ws.Workspace, c)
	if err != nil {
		return err
	}
	if why != "" {
		return project.Invalidf("freeze a new candidate", "candidate %d is out of date: %s", parent, why)
	}
	var b *publish.Bundle // nil for a candidate of people's annotations
	if c.Bundle > 0 {
		if b, _, err = s.sanitize.OpenBundle(id, c.Bundle); err != nil {
			return err
		}
	}
	return s.Start(ws.Workspace, Freeze, Status{Total: c.Documents}, func(ctx context.Context) error {
		return s.repair(ctx, ws, by, b, c, counting, findings)
	})
}

// repair writes the child of a candidate, verifies it against the originals, and freezes it.
func (s *Service) repair(ctx context.Context, ws *workspace, by account.User, b *publish.Bundle, parent Candidate, counting *counting, findings Findings) error {
	kept, err := s.frozen(ws.ID, parent.Number)
	if err != nil {
		return err
	}
	rows, err := mappedRows(kept[bucketMappings])
	if err != nil {
		return err
	}
	added, err := s.originalSpans(ctx, ws, findings.Found)
	if err != nil {
		return err
	}
	r, err := s.Begin(ws.Workspace, by, KindText, Freeze)
	if err != nil {
		return err
	}
	r.counted, r.Linkage = counting, parent.Linkage // of the same notes
	r.parent, r.redacts = parent.Number, &Redacts{findings.Review, findings.At}
	r.Bundle, r.LC, r.Warnings = parent.Bundle, parent.LC, parent.Warnings
	meta := publish.Meta{Tool: s.projects.Version(), Created: r.Created, Name: r.Name, Project: string(ws.ID), Finished: ws.Overview().Done, Warnings: append(slices.Clone(parent.Warnings), r.EarlierWords...)}
	docs := s.repaired(ctx, ws, rows, added)
	if parent.Policy != nil {
		if err := s.continueDraft(ws, r, parent, kept, &meta); err != nil {
			return err
		}
		if docs, err = s.replacedAgain(ctx, ws, parent, rows, added, &meta); err != nil {
			return err
		}
	}
	return s.write(ctx, ws, by, r, docs, b, meta)
}

// originalSpans are the marks as spans of the notes, with the labels of the policy. The places
// of each candidate are its own: a repair moves what stands behind it.
func (s *Service) originalSpans(ctx context.Context, ws *workspace, found []Found) (map[annotate.DocumentID][]annotate.Span, error) {
	out := map[annotate.DocumentID][]annotate.Span{}
	for _, f := range found {
		l, err := s.locator(ctx, ws, f.Candidate)
		if err != nil {
			return nil, err
		}
		for _, m := range f.Marks {
			doc, spans, err := l.original(ctx, m)
			if err != nil {
				return nil, err
			}
			out[doc] = append(out[doc], spans...)
		}
	}
	return out, nil
}

// locator finds marks of a candidate in the notes that it was made from.
type locator struct {
	ws     *workspace
	text   *candidate.Text
	rows   map[string]mapped
	labels []annotate.Label // that the candidate redacts
}

func (s *Service) locator(ctx context.Context, ws *workspace, number int) (*locator, error) {
	c, err := s.StoredCandidate(ws.ID, number)
	if err != nil {
		return nil, err
	}
	rows, err := s.rowsOf(ws.ID, c)
	if err != nil {
		return nil, err
	}
	labels, err := s.LabelsOf(ctx, ws.ID, number)
	if err != nil || len(labels) == 0 {
		return nil, errors.Join(err, errors.New("the candidate has no labels"))
	}
	text, err := s.shelf(ws.ID).Text(number, c.Files)
	return &locator{ws, text, rows, labels}, err
}

// original is a mark as spans of its note. A label that is not one of the candidate's is
// replaced by the first: the reader did not say.
func (l *locator) original(ctx context.Context, m Mark) (annotate.DocumentID, []annotate.Span, error) {
	if !slices.Contains(l.labels, m.Label) {
		m.Label = l.labels[0]
	}
	n, err := l.text.Note(ctx, m.Note)
	if err != nil {
		return 0, nil, err
	}
	row := l.rows[n.ID]
	d, _, err := l.ws.Fetch(row.Document)
	if err != nil {
		return 0, nil, err
	}
	spans, err := row.spans(annotate.NewOffsets(d.Text), n, m)
	return row.Document, spans, err
}

// spans are the parts of a mark outside placeholders, as spans of the original.
func (m mapped) spans(original *annotate.Offsets, n candidate.Note, mark Mark) (out []annotate.Span, err error) {
	if mark.Start < 0 || mark.End <= mark.Start || int(mark.End) > len([]rune(n.Text)) {
		return nil, project.Invalidf("mark it again", "a mark is outside its note")
	}
	from, open := annotate.RuneOff(0), false
	for at := mark.Start; at <= mark.End; at++ {
		_, kept := m.original(at)
		kept = kept && at < mark.End
		if kept && !open {
			from, open = at, true
		}
		if kept || !open {
			continue
		}
		start, _ := m.original(from)
		end, _ := m.original(at - 1)
		span, err := original.Span(start, end+1, mark.Label)
		if err != nil {
			return nil, fmt.Errorf("note %s: %w", n.ID, err)
		}
		out, open = append(out, span), false
	}
	return out, nil
}

// repaired yields every document of a candidate, to be redacted as it was, and where marks
// were added.
func (s *Service) repaired(ctx context.Context, ws *workspace, rows map[string]mapped, added map[annotate.DocumentID][]annotate.Span) iter.Seq2[publish.Input, error] {
	byDocument := make(map[annotate.DocumentID]mapped, len(rows))
	for _, row := range rows {
		byDocument[row.Document] = row
	}
	return func(yield func(publish.Input, error) bool) {
		for d, err := range ws.Documents(ctx, ws.ByGroup()) {
			if err != nil {
				yield(publish.Input{}, err)
				return
			}
			in := publish.Input{Document: d.ID, Name: d.Document.Name, Text: d.Text, Exactly: true}
			// The candidate's redactions say what is redacted; what is known is counted again.
			in.Known = publish.FindKnown(d.Text, d.About(), func(annotate.Identity) annotate.Label { return "" })
			in.Spans, err = byDocument[d.ID].with(annotate.NewOffsets(d.Text), added[d.ID])
			if !yield(in, err) || err != nil {
				return
			}
		}
	}
}

// with are the redactions of a row as spans of the original, and what more spans add to
// them.
func (m mapped) with(original *annotate.Offsets, more []annotate.Span) ([]annotate.Span, error) {
	var out []annotate.Span
	for _, r := range m.Redactions {
		span, err := original.Span(r.Start, r.End, r.Label)
		if err != nil {
			return nil, fmt.Errorf("note %d: %w", m.Document, err)
		}
		out = append(out, span)
	}
	for _, s := range more {
		out = append(out, without(s, out)...)
	}
	slices.SortFunc(out, annotate.CompareSpans)
	return out, nil
}

// without are the parts of a span that others do not cover.
func without(s annotate.Span, others []annotate.Span) []annotate.Span {
	parts := []annotate.Span{s}
	for _, o := range others {
		var next []annotate.Span
		for _, p := range parts {
			if !p.Overlaps(o) {
				next = append(next, p)
				continue
			}
			if p.Start < o.Start {
				next = append(next, annotate.Span{Start: p.Start, End: o.Start, Label: p.Label})
			}
			if o.End < p.End {
				next = append(next, annotate.Span{Start: o.End, End: p.End, Label: p.Label})
			}
		}
		parts = next
	}
	return parts
}

// inherits reports whether a child redacts everything that its parent redacts. Both maps
// are of the same notes.
func inherits(parent, child map[string]mapped) error {
	of := make(map[annotate.DocumentID]mapped, len(child))
	for _, row := range child {
		of[row.Document] = row
	}
	if len(parent) != len(child) {
		return errors.New("the repaired candidate has other notes")
	}
	for _, row := range parent {
		for _, r := range row.Redactions {
			for at := r.Start; at < r.End; at++ {
				if _, kept := of[row.Document].released(at); kept {
					return fmt.Errorf("the repaired candidate shows what note %s of its parent redacts", row.ID)
				}
			}
		}
	}
	return nil
}

// AddMarks adds marks to the notes that they were found in, as spans. Those are skipped whose
// note has a span there already.
func (s *Service) AddMarks(ctx context.Context, by account.User, id project.ID, found []Found) (added, skipped int, err error) {
	ws, err := s.enter(by, account.Annotate, id)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range found {
		l, err := s.locator(ctx, ws, f.Candidate)
		if err != nil {
			return added, skipped, err
		}
		for _, m := range f.Marks {
			fresh, err := s.addMark(ctx, by, l, m)
			if err != nil {
				return added, skipped, err
			}
			if fresh {
				added++
			} else {
				skipped++
			}
		}
	}
	return added, skipped, nil
}

// addMark adds what no span of the note covers yet.
func (s *Service) addMark(ctx context.Context, by account.User, l *locator, m Mark) (fresh bool, err error) {
	doc, spans, err := l.original(ctx, m)
	if err != nil {
		return false, err
	}
	layer, err := l.ws.Layer(doc)
	if err != nil {
		return false, err
	}
	there := layer.Spans()
	spans = slices.DeleteFunc(spans, func(s annotate.Span) bool { return slices.ContainsFunc(there, s.Overlaps) })
	if len(spans) == 0 {
		return false, nil
	}
	_, err = s.projects.Edit(ctx, by, l.ws.ID, doc, layer.Revision, annotate.Edit{Verb: annotate.VerbTag, Spans: spans})
	return err == nil, err
}

// rowsOf says where the notes of a candidate, or of its release, come from.
func (s *Service) rowsOf(id project.ID, c Candidate) (map[string]mapped, error) {
	bucket := bucketMappings
	if c.Kind == KindJoint {
		bucket = bucketPlaces
	}
	raw, err := project.Read(s.projects, id, func(tx *store.Tx) ([]byte, error) {
		b, err := tx.Get(bucketFrozen, frozenKey(c.Number, bucket))
		if errors.Is(err, store.ErrNotFound) {
			b, err = tx.Get(bucket, store.Key(uint64(c.Number)))
		}
		if errors.Is(err, store.ErrNotFound) {
			err = project.NotFoundf("candidate %d has no re-identification map any more", c.Number)
		}
		return b, err
	})
	if err != nil {
		return nil, err
	}
	return mappedRows(raw)
}
