// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

// foundIn holds the identifiers that people marked in a note of an audit, in terms
// of the current note.
type foundIn struct {
	annotate.Document
	id     annotate.DocumentID
	tokens []annotate.Token
	layer  *annotate.Layer
	goes   []annotate.Span // spans of the layer that a release redacts
	stays  []annotate.Span // spans of the layer that a release does not redact, because of their labels
	spans  []annotate.Span
	from   []int // first token of each, in the redacted text
}

// foundIn returns what people marked in a note of an audit, for a release with a
// bundle. The note's index is from 1.
func (s *Service) foundIn(ws *workspace, a Audit, index int, info sanitize.Bundle) (f foundIn, err error) {
	n, err := s.auditedNote(ws, a.Number, index)
	if err != nil {
		return f, err
	}
	f.id = a.Notes[index-1].Document
	if f.Document, f.layer, err = ws.Fetch(f.id); err != nil {
		return f, err
	}
	f.tokens, f.goes = annotate.Tokenize(f.Text), info.Redacted(f.layer.Spans())
	f.stays = slices.DeleteFunc(f.layer.Spans(), func(s annotate.Span) bool { return slices.Contains(f.goes, s) })
	if f.spans, f.from, err = n.spans(f.Text); err != nil {
		return f, fmt.Errorf("note %d of audit %d: %w", index, a.Number, err)
	}
	return f, nil
}

// left returns the parts of a finding that stay readable next to redacted spans, or
// nothing if all of it is redacted. A token that a span touches is redacted whole,
// as in a release. Parts between placeholders without a letter or digit do not
// count, because punctuation identifies nobody. Common words do count, because
// somebody marked them.
func (f foundIn) left(found annotate.Span, redacted []annotate.Span) []annotate.Span {
	from, to := annotate.Covered(f.tokens, found)
	goes := func(t annotate.Token) bool {
		return overlapsAny(annotate.Span{Start: t.Start, End: t.End}, redacted)
	}
	if !slices.ContainsFunc(f.tokens[from:to], goes) {
		return []annotate.Span{found}
	}
	var out []annotate.Span
	joins := false // only punctuation since the last part
	for _, t := range f.tokens[from:to] {
		switch {
		case goes(t):
			joins = false
		case greedy.KindOf(f.Text[t.Start:t.End]) == greedy.Punctuation:
		case joins:
			out[len(out)-1].End = t.End
		default:
			out, joins = append(out, annotate.Span{Start: t.Start, End: t.End}), true
		}
	}
	return out
}

// fresh returns the spans that redact the rest of a finding. A span that stays
// readable because of its label is returned whole, to get another label: spans of a
// layer cannot overlap, so a new span would lose half of it. The other spans have
// no label yet.
func (f foundIn) fresh(found annotate.Span, redacted []annotate.Span) []annotate.Span {
	left := f.left(found, redacted)
	var out []annotate.Span
	for _, s := range f.stays {
		if from, to := annotate.Covered(f.tokens, s); from < to && overlapsAny(s, left) {
			out = append(out, s)
		}
	}
	out = append(out, f.left(found, slices.Concat(redacted, out))...)
	slices.SortFunc(out, annotate.CompareSpans)
	return out
}

func overlapsAny(s annotate.Span, others []annotate.Span) bool {
	return slices.ContainsFunc(others, s.Overlaps)
}
