// SPDX-License-Identifier: Apache-2.0

package value

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
)

// tokenKind is what a token consists of.
type tokenKind int

const (
	number tokenKind = iota // ASCII digits
	word                    // letters
	mark                    // one other character that is not a blank
)

// token is a word, a number or a mark of a text.
type token struct {
	kind       tokenKind
	start, end int
	text       string // of a word without case and accents
	blank      bool   // blanks stand before it
}

// scan cuts a text into tokens.
func scan(text string) []token {
	var tokens []token
	blank := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			blank = true
			i += size
			continue
		}
		t := token{kind: mark, start: i, end: i + size, blank: blank}
		switch {
		case isDigit(r):
			t.kind, t.end = number, runEnd(text, i, isDigit)
		case unicode.IsLetter(r):
			t.kind, t.end = word, runEnd(text, i, isLetter)
		}
		t.text = text[i:t.end]
		if t.kind == word {
			t.text = dictionary.Fold(t.text)
		}
		tokens, blank, i = append(tokens, t), false, t.end
	}
	return tokens
}

func isDigit(r rune) bool  { return '0' <= r && r <= '9' }
func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) }

// runEnd is where the characters end that are as the one at start.
func runEnd(text string, start int, is func(rune) bool) int {
	for i, r := range text[start:] {
		if !is(r) {
			return start + i
		}
	}
	return len(text)
}

// size is the number of digits of a number, 0 for other tokens.
func (t token) size() int {
	if t.kind != number {
		return 0
	}
	return len(t.text)
}

// value is the value of a number of at most four digits, -1 for other tokens.
func (t token) value() int {
	if t.kind != number || len(t.text) > 4 {
		return -1
	}
	n, _ := strconv.Atoi(t.text) // are digits
	return n
}

// numbers are up to three numbers with the same mark between them, such as 25/12/2019.
type numbers struct {
	values, size, at []int // values, numbers of digits, and tokens
	mark             byte  // '/', '-', '.' or ' '
	next             int   // the token behind
	dot              bool  // a dot stands behind two numbers with a dot between them
}

// numbersAt reads the numbers that start at token i.
func numbersAt(tokens []token, i int) numbers {
	var n numbers
	if i >= len(tokens) || tokens[i].value() < 0 {
		return n
	}
	n.add(tokens, i)
	for len(n.values) < 3 {
		m, at := markAt(tokens, n.next)
		if m == 0 || n.mark != 0 && m != n.mark || tokens[at].value() < 0 {
			break
		}
		n.mark = m
		n.add(tokens, at)
	}
	if n.mark == ' ' && (len(n.values) < 3 || max(n.size[0], n.size[2]) != 4) {
		return numbers{values: n.values[:1], size: n.size[:1], at: n.at[:1], next: i + 1}
	}
	if len(n.values) == 2 && n.mark == '.' && n.next < len(tokens) && tokens[n.next].text == "." {
		n.dot = true
		n.next++
	}
	return n
}

func (n *numbers) add(tokens []token, at int) {
	n.values = append(n.values, tokens[at].value())
	n.size = append(n.size, tokens[at].size())
	n.at = append(n.at, at)
	n.next = at + 1
}

// markAt is the mark between two numbers and the token behind it. A slash and a dot may have
// blanks beside them and a slash may be doubled; a hyphen with blanks joins two dates.
func markAt(tokens []token, i int) (byte, int) {
	if i >= len(tokens) {
		return 0, 0
	}
	if tokens[i].kind == number && tokens[i].blank {
		return ' ', i
	}
	if i+1 >= len(tokens) {
		return 0, 0
	}
	switch tokens[i].text {
	case "/":
		if i+2 < len(tokens) && tokens[i+1].text == "/" {
			i++
		}
		return '/', i + 1
	case ".":
		return '.', i + 1
	case "-":
		if !tokens[i].blank && !tokens[i+1].blank {
			return '-', i + 1
		}
	}
	return 0, 0
}
