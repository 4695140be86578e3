// SPDX-License-Identifier: Apache-2.0

package compare

import "unicode/utf8"

// work holds two values as one byte per character. ASCII is itself; other characters get codes
// from 128 in order of first appearance, so that the algorithms below know only bytes.
type work struct {
	bufferA, bufferB [maxBytes]byte
	others           []rune
	jaro             jaro
}

// load copies two values in their alphabetical order, which makes comparison symmetric.
func (w *work) load(a, b string) (x, y []byte) {
	if b < a {
		a, b = b, a
	}
	w.others = w.others[:0]
	return w.copy(w.bufferA[:], a), w.copy(w.bufferB[:], b)
}

func (w *work) copy(to []byte, s string) []byte {
	n := min(copy(to, s), len(to))
	high := byte(0)
	for _, c := range to[:n] {
		high |= c
	}
	if high < utf8.RuneSelf {
		return to[:n]
	}
	n = 0
	for _, r := range s {
		if n == len(to) {
			break
		}
		to[n] = w.code(r)
		n++
	}
	return to[:n]
}

// code is the byte of a character. Beyond 127 different characters the rest share one.
func (w *work) code(r rune) byte {
	if r < utf8.RuneSelf {
		return byte(r)
	}
	for i, o := range w.others {
		if o == r {
			return byte(utf8.RuneSelf + i)
		}
	}
	if w.others == nil {
		w.others = make([]rune, 0, 127)
	}
	if len(w.others) == cap(w.others) {
		return 255
	}
	w.others = append(w.others, r)
	return byte(utf8.RuneSelf + len(w.others) - 1)
}
