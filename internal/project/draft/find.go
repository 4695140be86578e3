// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
	"hide/internal/project"
	"hide/internal/publish"
	"hide/internal/publish/transform"
)

// finder finds the identifiers of notes: what people marked, what is known, and what the
// redaction model finds.
type finder struct {
	model     *publish.Bundle  // nil without one
	names     annotate.Renames // of the model's labels
	present   annotate.Renames // of all labels
	labels    []annotate.Label // of the project
	keepKnown bool
}

func (s *Service) newFinder(ws *workspace, settings Settings) (*finder, error) {
	f := &finder{present: ws.Names().Present(), labels: ws.Labels().Labels(), keepKnown: settings.KeepKnown}
	if settings.Bundle == 0 {
		return f, nil
	}
	b, info, err := s.sanitize.OpenBundle(ws.ID, settings.Bundle)
	f.model, f.names = b, ws.Names().Since(info.Names)
	return f, err
}

// togetherNotes bounds the notes of a patient that the model reads together.
const togetherNotes = 200

// find gives the identifiers of the notes of a patient.
func (f *finder) find(notes []project.StoredNote) [][]transform.Span {
	var out [][]transform.Span
	for some := range slices.Chunk(notes, togetherNotes) {
		modelled := f.modelled(some)
		for i, n := range some {
			spans := f.marked(n)
			if !f.keepKnown {
				spans = join(n.Text, spans, f.known(n))
			}
			out = append(out, join(n.Text, spans, modelled[i]))
		}
	}
	return out
}

// modelled is what the redaction model finds.
func (f *finder) modelled(notes []project.StoredNote) [][]transform.Span {
	out := make([][]transform.Span, len(notes))
	if f.model == nil {
		return out
	}
	in := make([]publish.Input, len(notes))
	for i, n := range notes {
		in[i] = publish.Input{Document: n.ID, Text: n.Text, Group: n.Person(), Structured: n.Known(), Identities: n.About()}
	}
	_, found := f.model.RedactTogether(in)
	for i, all := range found {
		for _, r := range all {
			out[i] = append(out[i], transform.Span{Start: r.Start, End: r.End, Label: f.names.Of(r.Label), By: transform.ByModel})
		}
	}
	return out
}

// known are the places of known identifiers. Those that no label of the project fits keep
// their label of the default set.
func (f *finder) known(n project.StoredNote) (out []transform.Span) {
	for _, m := range known.Find(n.Text, n.About()) {
		label := f.present.Of(m.Span.Label)
		if fits, ok := known.LabelIn(f.labels, label); ok {
			label = fits
		}
		out = append(out, transform.Span{Start: m.Span.Start, End: m.Span.End, Label: label, By: transform.ByKnown})
	}
	return out
}

// marked are the spans of people. A span that ends within a word or a number takes the rest of
// it, because half a name can identify; "18y" may end between the digits and the letter.
func (f *finder) marked(n project.StoredNote) (out []transform.Span) {
	done := annotate.ByteOff(0)
	for _, span := range n.Spans {
		s := transform.Span{Start: max(done, widen(n.Text, span.Start, -1)), End: widen(n.Text, span.End, 1), Label: span.Label, By: transform.ByPerson}
		if s.Start >= s.End {
			continue // a span before it took its word
		}
		out, done = append(out, s), s.End
	}
	return out
}

// widen moves an end of a span out of a run of letters or of digits.
func widen(text string, at annotate.ByteOff, step int) annotate.ByteOff {
	for at > 0 && int(at) < len(text) {
		before, back := utf8.DecodeLastRuneInString(text[:at])
		after, forth := utf8.DecodeRuneInString(text[at:])
		if !sameRun(before, after) {
			break
		}
		if step < 0 {
			at -= annotate.ByteOff(back)
		} else {
			at += annotate.ByteOff(forth)
		}
	}
	return at
}

func sameRun(a, b rune) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }
	return letter(a) && letter(b) || unicode.IsDigit(a) && unicode.IsDigit(b)
}

// join adds to spans the parts of others that they do not cover. Both are in order and do not
// overlap, and neither do those of the result.
func join(text string, spans, others []transform.Span) []transform.Span {
	out, first := slices.Clone(spans), 0
	for _, o := range others {
		for first < len(spans) && spans[first].End <= o.Start {
			first++
		}
		last := first
		for last < len(spans) && spans[last].Start < o.End {
			last++
		}
		for _, part := range without(o, spans[first:last]) {
			if part != o {
				part = trim(text, part)
			}
			if part.Start < part.End {
				out = append(out, part)
			}
		}
	}
	slices.SortFunc(out, func(a, b transform.Span) int { return int(a.Start - b.Start) })
	return out
}

// without gives the parts of a span outside of covers, which are in order.
func without(s transform.Span, covers []transform.Span) (parts []transform.Span) {
	part := s
	for _, c := range covers {
		if part.End = c.Start; part.Start < part.End {
			parts = append(parts, part)
		}
		part.Start = max(part.Start, c.End)
	}
	if part.End = s.End; part.Start < part.End {
		parts = append(parts, part)
	}
	return parts
}

// trim takes from the ends of a part of a span what is neither a letter nor a digit. A part of
// signs alone becomes empty.
func trim(text string, s transform.Span) transform.Span {
	sign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
	part := text[s.Start:s.End]
	left := strings.TrimLeftFunc(part, sign)
	s.Start += annotate.ByteOff(len(part) - len(left))
	s.End -= annotate.ByteOff(len(left) - len(strings.TrimRightFunc(left, sign)))
	return s
}
