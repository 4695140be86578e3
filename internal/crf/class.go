// SPDX-License-Identifier: Apache-2.0

package crf

import "unicode/utf8"

// class says in one character what a word is made of.
type class byte

// The classes of words; a mark of ASCII is its own class.
const (
	capital  class = 'A' // one capital
	title    class = 'T' // a capital and small letters
	capitals class = 'C'
	small    class = 'l'
	mixed    class = 'M' // capitals in other places
	caseless class = 'u' // letters of a script without case
	both     class = 'x' // letters and digits
	other    class = 'p'
	edge     class = '^'
)

// classOf is the class of a word. Digits alone are '1' to '5' by their number, with
// '5' for five or more.
func classOf(s string) class {
	p := profileOf(s)
	letters := p.upper + p.lower + p.caseless
	switch {
	case s == edgeText:
		return edge
	case letters == 0 && p.digits == p.runes && p.digits > 0:
		return class('0' + min(p.digits, 5))
	case letters > 0 && p.digits > 0:
		return both
	case letters > 0:
		return classOfLetters(p)
	case len(s) == 1 && s[0] < utf8.RuneSelf:
		return class(s[0])
	}
	return other
}

func classOfLetters(p profile) class {
	switch {
	case p.caseless > 0 && p.upper+p.lower == 0:
		return caseless
	case p.upper == 0:
		return small
	case p.upper == 1 && p.runes == 1:
		return capital
	case p.lower == 0:
		return capitals
	case p.firstUpper && p.upper == 1:
		return title
	}
	return mixed
}

func (c class) named() bool { return c == title || c == capitals || c == mixed || c == capital }

func ownClass(x *extractor, w *word) {
	x.attrs.add("k=", string(rune(w.class)))
	if !isASCII(w.text) {
		x.attrs.add("accents")
	}
}

func nearClass(x *extractor, w *word, offset int) {
	x.attrs.add("k", signed(offset), "=", string(rune(w.class)))
}
