// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

// foundIn are the identifiers that people marked in a note of an audit, in the note as
// it stands.
type foundIn struct {
	annotate.Document
	id     annotate.DocumentID
	tokens []annotate.Token
	layer  *annotate.Layer
	goes   []annotate.Span // of the layer, what a release redacts
	stays  []annotate.Span // of the layer, what it does not, for their labels
	spans  []annotate.Span
	from   []int // the first token of each, in the redacted text
}

// foundIn finds what was marked in a note of an audit, for a release with a bundle; the
// note's index is from 1.
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

// left are the places of a finding that stay readable beside spans that are redacted;
// none when all of it goes. A token that a span touches goes whole, as in a release.
// What stays between placeholders without a letter or a digit is not left: a comma
// tells of nobody. A common word is, though it tells as little: somebody marked it.
func (f foundIn) left(found annotate.Span, redacted []annotate.Span) []annotate.Span {
	from, to := annotate.Covered(f.tokens, found)
	goes := func(t annotate.Token) bool {
		return overlapsAny(annotate.Span{Start: t.Start, End: t.End}, redacted)
	}
	if !slices.ContainsFunc(f.tokens[from:to], goes) {
		return []annotate.Span{found}
	}
	var out []annotate.Span
	joins := false // nothing but punctuation since the last of out
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

// fresh are the spans that redact what is left of a finding. A span that stays for its
// label is among them whole, with that label, to get another: half of it would be lost
// under a new span, since spans of a layer do not overlap. The others have no label yet.
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
