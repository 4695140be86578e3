// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
)

// Apply replaces in text what ds decide. What no decision covers stays byte for byte. It
// panics for decisions that are not in order, overlap, or lie outside of text: to skip one
// would publish an identifier.
func Apply(text string, ds []Decision) string {
	out, _ := ApplyPlaces(text, ds)
	return out
}

// ApplyPlaces is [Apply] with the place of each decision in the new text, also of words that
// stay.
func ApplyPlaces(text string, ds []Decision) (string, []annotate.Span) {
	var b strings.Builder
	b.Grow(len(text))
	places := make([]annotate.Span, len(ds))
	done := annotate.ByteOff(0)
	for i, d := range ds {
		if d.Start < done || d.End < d.Start || int(d.End) > len(text) {
			panic("transform: decisions are not in order, overlap or leave the text")
		}
		b.WriteString(text[done:d.Start])
		start := annotate.ByteOff(b.Len())
		if d.Action == policy.Keep {
			b.WriteString(text[d.Start:d.End])
		} else {
			b.WriteString(d.Replacement)
		}
		places[i] = annotate.Span{Start: start, End: annotate.ByteOff(b.Len()), Label: d.Label}
		done = d.End
	}
	b.WriteString(text[done:])
	return b.String(), places
}

// endsInWord and startsInWord tell whether text would merge with a word beside it.
func endsInWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return annotate.WordRune(r)
}

func startsInWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return annotate.WordRune(r)
}
