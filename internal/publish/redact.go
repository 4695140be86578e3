// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// Redaction is one stretch of a note that a placeholder replaced.
type Redaction struct {
	Start, End annotate.ByteOff // in the note
	At, AtEnd  annotate.RuneOff // where the placeholder stands in the redacted text
	Label      annotate.Label
}

// mask says per token with which label it goes; "" for those that stay.
type mask []annotate.Label

// cover gives every token that a span touches the span's label. A token that is
// covered only in part goes whole: half a name can be enough.
func (m mask) cover(tokens []annotate.Token, spans []annotate.Span) {
	for _, s := range spans {
		from, to := annotate.Covered(tokens, s)
		for i := from; i < to; i++ {
			m[i] = s.Label
		}
	}
}

// kept is how many tokens stay.
func (m mask) kept() int {
	n := 0
	for _, label := range m {
		if label == "" {
			n++
		}
	}
	return n
}

// spans joins neighbouring tokens that go with one label into one span each,
// unless more than white space or more than one line break stands between them:
// a placeholder must not swallow a paragraph.
func (m mask) spans(text string, tokens []annotate.Token) []annotate.Span {
	var spans []annotate.Span
	for i, label := range m {
		if label == "" {
			continue
		}
		if i > 0 && m[i-1] == label && joins(text[tokens[i-1].End:tokens[i].Start]) {
			spans[len(spans)-1].End = tokens[i].End
			continue
		}
		spans = append(spans, annotate.Span{Start: tokens[i].Start, End: tokens[i].End, Label: label})
	}
	return spans
}

func joins(gap string) bool {
	return strings.Count(gap, "\n") <= 1 && strings.TrimFunc(gap, unicode.IsSpace) == ""
}

// replace puts placeholders in the place of spans, which are in order and do
// not overlap. Everything outside them stays byte for byte.
func (p Policy) replace(text string, spans []annotate.Span) (string, []Redaction) {
	var b strings.Builder
	redactions := make([]Redaction, 0, len(spans))
	done, runes := annotate.ByteOff(0), 0 // bytes of text behind us, code points written
	for _, s := range spans {
		between := text[done:s.Start]
		placeholder := p.placeholder(s.Label)
		b.WriteString(between)
		b.WriteString(placeholder)
		at := runes + utf8.RuneCountInString(between)
		runes = at + utf8.RuneCountInString(placeholder)
		done = s.End
		redactions = append(redactions, Redaction{s.Start, s.End, annotate.RuneOff(at), annotate.RuneOff(runes), s.Label})
	}
	b.WriteString(text[done:])
	return b.String(), redactions
}
