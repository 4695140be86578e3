// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"unicode"
	"unicode/utf8"
)

// Token covers text[Start:End]: a run of letters, marks, digits and
// underscores, or one other visible character. White space is never a token.
type Token struct{ Start, End ByteOff }

// Tokenize cuts text into tokens in order. It normalises nothing, so
// text[t.Start:t.End] is the token's exact surface.
func Tokenize(text string) []Token {
	tokens := make([]Token, 0, len(text)/5+1)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			i += size
		case wordRune(r):
			end := wordEnd(text, i+size)
			tokens = append(tokens, Token{ByteOff(i), ByteOff(end)})
			i = end
		default:
			tokens = append(tokens, Token{ByteOff(i), ByteOff(i + size)})
			i += size
		}
	}
	return tokens
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !wordRune(r) {
			break
		}
		i += size
	}
	return i
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// Covered returns the half-open range of tokens that share a byte with s.
func Covered(tokens []Token, s Span) (from, to int) {
	from = lowerBound(tokens, func(t Token) bool { return t.End > s.Start })
	to = lowerBound(tokens, func(t Token) bool { return t.Start >= s.End })
	return from, max(from, to)
}

// lowerBound is the first token for which reached holds; it must hold for every
// token after that.
func lowerBound(tokens []Token, reached func(Token) bool) int {
	lo, hi := 0, len(tokens)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if reached(tokens[mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// TokenLabels gives each token the label of the span that covers any part of
// it, or "" for none. begins[i] is true where token i is the first of its span.
// A token that two spans share belongs to the earlier.
func TokenLabels(tokens []Token, spans []Span) (labels []Label, begins []bool) {
	labels, begins = make([]Label, len(tokens)), make([]bool, len(tokens))
	for _, s := range spans {
		from, to := Covered(tokens, s)
		first := true
		for i := from; i < to; i++ {
			if labels[i] != "" {
				continue
			}
			labels[i], begins[i], first = s.Label, first, false
		}
	}
	return labels, begins
}

// SpansOf is the inverse of [TokenLabels] for spans that start and end on token
// borders: neighbouring tokens of one label join unless begins splits them.
func SpansOf(tokens []Token, labels []Label, begins []bool) []Span {
	var spans []Span
	for i, label := range labels {
		if label == "" {
			continue
		}
		joins := i > 0 && labels[i-1] == label && !begins[i]
		if joins {
			spans[len(spans)-1].End = tokens[i].End
			continue
		}
		spans = append(spans, Span{tokens[i].Start, tokens[i].End, label})
	}
	return spans
}
