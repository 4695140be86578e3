// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// reader is a text cut into tokens, with what the rules ask about them. Asked
// about a token before the first or after the last, it answers as of an empty one.
type reader struct {
	text   string
	tokens []annotate.Token
	lower  []string
}

func newReader(text string) *reader {
	r := &reader{text: text, tokens: annotate.Tokenize(text)}
	r.lower = make([]string, len(r.tokens))
	for i, t := range r.tokens {
		r.lower[i] = strings.ToLower(text[t.Start:t.End])
	}
	return r
}

func (r *reader) has(i int) bool { return i >= 0 && i < len(r.tokens) }

func (r *reader) word(i int) string {
	if !r.has(i) {
		return ""
	}
	return r.text[r.tokens[i].Start:r.tokens[i].End]
}

// low is the word in lower case.
func (r *reader) low(i int) string {
	if !r.has(i) {
		return ""
	}
	return r.lower[i]
}

// glued reports whether nothing stands between token i and the one before.
func (r *reader) glued(i int) bool {
	return r.has(i-1) && r.has(i) && r.tokens[i-1].End == r.tokens[i].Start
}

// closeBy reports whether token i is on the line of the one before, at most two
// characters away.
func (r *reader) closeBy(i int) bool {
	if !r.has(i-1) || !r.has(i) {
		return false
	}
	gap := r.text[r.tokens[i-1].End:r.tokens[i].Start]
	return len(gap) <= 2 && !strings.ContainsAny(gap, "\n\r")
}

// sameLine reports whether no line ends between token i and the one before.
func (r *reader) sameLine(i int) bool {
	return r.has(i-1) && r.has(i) && !strings.ContainsAny(r.text[r.tokens[i-1].End:r.tokens[i].Start], "\n\r")
}

// digits is how many digits token i has when it has nothing else, otherwise 0.
func (r *reader) digits(i int) int {
	w := r.word(i)
	for k := range len(w) {
		if w[k] < '0' || w[k] > '9' {
			return 0
		}
	}
	return len(w)
}

// number is the value of a token of at most four digits, otherwise -1.
func (r *reader) number(i int) int {
	if n := r.digits(i); n == 0 || n > 4 {
		return -1
	}
	v := 0
	for _, c := range r.word(i) {
		v = 10*v + int(c-'0')
	}
	return v
}

// capital reports whether token i begins with an upper-case letter.
func (r *reader) capital(i int) bool {
	first, _ := utf8.DecodeRuneInString(r.word(i))
	return unicode.IsUpper(first)
}

// letters reports whether token i has letters only.
func (r *reader) letters(i int) bool {
	w := r.word(i)
	return w != "" && !strings.ContainsFunc(w, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) })
}

// finding covers tokens from up to, not with, to.
func (r *reader) finding(from, to int, kind Kind) (Finding, bool) {
	return Finding{r.tokens[from].Start, r.tokens[to-1].End, kind}, true
}

func nothing() (Finding, bool) { return Finding{}, false }
