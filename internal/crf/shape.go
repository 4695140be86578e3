// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip cuts a word to maxWord bytes, at a code point when it is valid UTF-8.
func clip(s string) string {
	if len(s) <= maxWord {
		return s
	}
	end := maxWord
	for end > maxWord-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// lower is the lower case of s, cut again because some letters grow.
func lower(s string) string { return clip(strings.ToLower(s)) }

// shapeOf writes X for a capital, x for a small letter, a for a letter without
// case and d for a digit. Two or more letters of a kind become one and "+", each
// digit stays, up to eight.
func shapeOf(s string) string {
	var b strings.Builder
	var last byte
	run := 0
	for _, r := range s {
		c := kindOf(r)
		if c == last {
			run++
		} else {
			last, run = c, 1
		}
		switch {
		case c == 0:
			b.WriteRune(r)
		case run == 1 || c == 'd' && run <= 8:
			b.WriteByte(c)
		case run == 2 && c != 'd':
			b.WriteByte('+')
		}
	}
	return b.String()
}

// kindOf is the shape of one rune, 0 for what stands for itself.
func kindOf(r rune) byte {
	switch {
	case 'a' <= r && r <= 'z':
		return 'x'
	case 'A' <= r && r <= 'Z':
		return 'X'
	case unicode.IsDigit(r):
		return 'd'
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return 'X'
	case unicode.IsLower(r):
		return 'x'
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return 'a'
	}
	return 0
}

// collapse makes one of each run of equal bytes of a shape and drops its plus
// signs.
func collapse(shape string) string {
	var b strings.Builder
	for i := range len(shape) {
		if shape[i] != '+' && (i == 0 || shape[i] != shape[i-1]) {
			b.WriteByte(shape[i])
		}
	}
	return b.String()
}

// affixes adds prefixes and suffixes of from to upto characters, where the word
// has that many.
func affixes(a *attributes, prefix, suffix, s string, from, upto int) {
	head, tail := 0, len(s)
	for n := 1; n <= upto && head < len(s); n++ {
		_, size := utf8.DecodeRuneInString(s[head:])
		head += size
		_, size = utf8.DecodeLastRuneInString(s[:tail])
		tail -= size
		if n >= from {
			a.add(prefix, strconv.Itoa(n), "_", s[:head])
			a.add(suffix, strconv.Itoa(n), "_", s[tail:])
		}
	}
}
