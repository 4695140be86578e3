// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"math/bits"
	"unicode/utf8"
)

// chars is a value, or a word of it, as one byte per character, with the set of its characters.
type chars struct {
	text []byte
	has  letters
}

// letters is a set of characters. Letters, digits and blanks have bits of their own; others
// share them, so a set can only be too small.
type letters uint64

func bit(c byte) letters { return 1 << (c&31 | c&64>>1) }

// gaps are the characters between words.
const gaps = letters(1<<(' '&31) | 1<<('-'&31) | 1<<(','&31))

func isGap(c byte) bool { return c == ' ' || c == '-' || c == ',' }

// without is how many characters of a set are not in another.
func (l letters) without(other letters) int { return bits.OnesCount64(uint64(l &^ other)) }

// from is the part of a value from one character to another.
func (x chars) from(start, end int) chars {
	part := chars{text: x.text[start:end]}
	for _, c := range part.text {
		part.has |= bit(c)
	}
	return part
}

// work holds two values as one byte per character. ASCII is itself; other characters get codes
// from 128 in order of first appearance, so that the algorithms know only bytes.
type work struct {
	bufferA, bufferB [maxBytes]byte
	codes            [255 - utf8.RuneSelf]rune
	coded            int
	jaro             jaro
}

// load copies two values in their alphabetical order, which makes comparison symmetric.
func (w *work) load(a, b string) (x, y chars) {
	if b < a {
		a, b = b, a
	}
	w.coded = 0
	return w.copy(&w.bufferA, a), w.copy(&w.bufferB, b)
}

func (w *work) copy(to *[maxBytes]byte, s string) chars {
	s = s[:min(len(s), maxBytes)]
	x := chars{text: to[:len(s)]}
	high := byte(0)
	for i := range x.text {
		c := s[i]
		x.text[i] = c
		x.has |= bit(c)
		high |= c
	}
	if high < utf8.RuneSelf {
		return x
	}
	n := 0
	for _, r := range s {
		to[n] = w.code(r)
		n++
	}
	return chars{text: to[:]}.from(0, n)
}

// code is the byte of a character. Beyond 127 different characters the rest share one.
func (w *work) code(r rune) byte {
	if r < utf8.RuneSelf {
		return byte(r)
	}
	for i, known := range w.codes[:w.coded] {
		if known == r {
			return byte(utf8.RuneSelf + i)
		}
	}
	if w.coded == len(w.codes) {
		return 255
	}
	w.codes[w.coded] = r
	w.coded++
	return byte(utf8.RuneSelf + w.coded - 1)
}
