// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
)

// Apply replaces in text what ds decide. What no decision covers stays byte for byte. It
// panics for decisions that are not in order, overlap, or lie outside of text: to skip one
// would publish an identifier.
func Apply(text string, ds []Decision) string {
	var b strings.Builder
	b.Grow(len(text))
	done := annotate.ByteOff(0)
	for _, d := range ds {
		if d.Start < done || d.End < d.Start || int(d.End) > len(text) {
			panic("transform: decisions are not in order, overlap or leave the text")
		}
		if d.Action == policy.Keep {
			continue
		}
		b.WriteString(text[done:d.Start])
		b.WriteString(d.Replacement)
		done = d.End
	}
	b.WriteString(text[done:])
	return b.String()
}

// wordRune reports whether r belongs to a word, as [annotate.Tokenize] cuts them.
func wordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// endsInWord and startsInWord tell whether text would merge with a word beside it.
func endsInWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return wordRune(r)
}

func startsInWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return wordRune(r)
}
