// SPDX-License-Identifier: Apache-2.0

package release

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/publish"
	"hide/internal/publish/policy"
)

// replacedAgain yields the documents of a candidate by a policy with the replacements that it
// has, and with placeholders where marks were added. It completes what meta says of the policy:
// what was signed and confirmed showed more than the repaired candidate does.
func (s *Service) replacedAgain(ctx context.Context, ws *workspace, parent Candidate, rows map[string]mapped, added map[annotate.DocumentID][]annotate.Span, meta *publish.Meta) (iter.Seq2[publish.Input, error], error) {
	resolved, err := s.PolicyOf(ctx, ws.ID, parent)
	if err != nil {
		return nil, err
	}
	meta.Policy, meta.Signed, meta.Agreed, meta.Like = &resolved, parent.Signed, parent.Agreed, parent.Like
	text, err := s.TextOf(ws.ID, parent.Number)
	if err != nil {
		return nil, err
	}
	notes, err := s.NotesOf(ctx, ws.ID, parent.Number)
	if err != nil {
		return nil, err
	}
	places := make(map[annotate.DocumentID]int, len(notes))
	for i, doc := range notes {
		places[doc] = i
	}
	one := func(d project.StoredNote) (publish.Input, error) {
		n, err := text.Note(ctx, places[d.ID])
		if err != nil {
			return publish.Input{}, err
		}
		in := publish.Input{Document: d.ID, Name: d.Name, Text: d.Text, Group: d.Person()}
		if parent.Like != "" {
			in.ID = n.ID
		}
		in.Known = publish.FindKnown(d.Text, d.About(), func(annotate.Identity) annotate.Label { return "" })
		in.Replacements, err = rows[n.ID].again(d.Text, n, resolved.Policy, added[d.ID])
		return in, err
	}
	return func(yield func(publish.Input, error) bool) {
		for d, err := range ws.Documents(ctx, ws.ByGroup()) {
			if _, released := places[d.ID]; !released && err == nil {
				continue
			}
			var in publish.Input
			if err == nil {
				in, err = one(d)
			}
			if !yield(in, err) || err != nil {
				return
			}
		}
	}, nil
}

// PolicyOf reads the policy of a candidate that has one, for the labels that it names. It is
// for a caller that has entered the project.
func (s *Service) PolicyOf(ctx context.Context, id project.ID, c Candidate) (policy.Resolved, error) {
	file, err := s.shelf(id).Open(ctx, c.Number, c.Files, "policy.json")
	if err != nil {
		return policy.Resolved{}, err
	}
	p, err := policy.Read(file)
	if err != nil {
		return policy.Resolved{}, err
	}
	labels, err := s.LabelsOf(ctx, id, c.Number)
	means := map[annotate.Label]annotate.Label{}
	for _, l := range labels {
		means[l] = l
		if as, other := c.Policy.Means[l]; other {
			means[l] = as
		}
	}
	return p.Resolve(labels, means), err
}

// again are the replacements of a row, with the words that stand in n, and placeholders for
// more spans and for other places of their words.
func (m mapped) again(original string, n candidate.Note, p policy.Policy, more []annotate.Span) ([]publish.Replacement, error) {
	offsets, released := annotate.NewOffsets(original), annotate.NewOffsets(n.Text)
	out := []publish.Replacement{}
	var taken []annotate.Span
	for _, r := range m.Redactions {
		from, err1 := offsets.Span(r.Start, r.End, r.Label)
		to, err2 := released.Span(r.At, r.AtEnd, r.Label)
		if err := cmp.Or(err1, err2); err != nil {
			return nil, err
		}
		taken = append(taken, from)
		out = append(out, publish.Replacement{Start: from.Start, End: from.End, Label: r.Label, Action: cmp.Or(r.Action, policy.Placeholder), Text: to.Surface(n.Text)})
	}
	for _, s := range slices.Concat(more, repeatsOf(original, more)) {
		for _, part := range without(s, taken) {
			taken = append(taken, part)
			out = append(out, publish.Replacement{Start: part.Start, End: part.End, Label: part.Label, Action: policy.Placeholder, Text: policy.Fill(p.Placeholder, string(part.Label))})
		}
	}
	for _, k := range m.Kept {
		s, err := offsets.Span(k.Start, k.End, k.Label)
		if err != nil {
			return nil, err
		}
		for _, part := range without(s, taken) {
			out = append(out, publish.Replacement{Start: part.Start, End: part.End, Label: part.Label, Action: policy.Keep})
		}
	}
	slices.SortFunc(out, func(a, b publish.Replacement) int { return cmp.Compare(a.Start, b.Start) })
	return out, nil
}

// repeatsOf are the other places of the words of spans, if these identify: with two words or
// more, or five digits or more. A reader marks one of them, and all must go.
func repeatsOf(text string, spans []annotate.Span) (out []annotate.Span) {
	for _, s := range spans {
		words := s.Surface(text)
		digits := strings.Count(strings.Map(digitsOnly, words), "0")
		if len(strings.Fields(words)) < 2 && digits < 5 {
			continue
		}
		for from := 0; ; {
			i := strings.Index(text[from:], words)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(words)
			if standsAlone(text, start, end) {
				out = append(out, annotate.Span{Start: annotate.ByteOff(start), End: annotate.ByteOff(end), Label: s.Label})
			}
			from = end
		}
	}
	return out
}

func digitsOnly(r rune) rune {
	if unicode.IsDigit(r) {
		return '0'
	}
	return -1
}

// standsAlone reports whether no word goes on at either end of a stretch.
func standsAlone(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !annotate.WordRune(before) && !annotate.WordRune(after)
}
