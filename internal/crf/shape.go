// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
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

// lower is the lower case of s, cut again because some letters become longer.
func lower(s string) string { return clip(strings.ToLower(s)) }

// shapeOf writes X for a capital, x for a small letter, a for a letter without case and
// d for a digit. Two or more letters of a kind become one and "+"; digits are kept, up
// to eight.
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

// kindOf is the shape of one rune, 0 if the rune is kept as it is.
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

// collapse reduces each run of equal bytes of a shape to one, and drops its plus signs.
func collapse(shape string) string {
	var b strings.Builder
	for i := range len(shape) {
		if shape[i] != '+' && (i == 0 || shape[i] != shape[i-1]) {
			b.WriteByte(shape[i])
		}
	}
	return b.String()
}

// affixes adds prefixes and suffixes of from to upto characters, if the word is long
// enough.
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

// class is one character for the composition of a word.
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

func nearClass(x *extractor, w *word, heads []string) {
	x.attrs.add(heads[0], string(rune(w.class)))
}

// fold is [dictionary.Fold] of s, cut to the length that attributes have.
func fold(s string) string { return clip(dictionary.Fold(s)) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Fact is a token's features before any training, for learners that use numbers instead
// of attributes. Bucketed numbers start at 0 and increase with the count.
type Fact struct {
	Lower  string // lower case
	Shape  string // X, x, a and d for letters and digits, runs collapsed
	Member string // lists that hold the word alone, and its class
	Blur   string // the word, or the lists and the class when it is a name or a number
	Class  byte   // as in the class family
	Gap    uint8  // white space before: 0 none, 1 some, 2 a line break, 3 an empty line

	Kind        string // identifier that the token is part of, such as DATE; "" for none
	Place, Size int8   // index of the token in that identifier, and its length in tokens

	Run            string // shapes of the tokens that stand together without a space
	RunKind        string // EMAIL, URL, DATE, IP or ""
	RunAt, RunLeft int8   // tokens before and after in the run
	Digits         int    // of the run of numbers that contains the token

	Head          string // words before the last colon of the line, lower case
	HeadDistance  int8   // tokens since that colon; 0 without one
	LinePlace     int8   // tokens since the start of the line
	LineEnd       bool
	Section       string // words of the nearest header line above
	SectionAt     int8   // lines since
	Above, Below  int8   // lines of the document before and after, bucketed
	LineSize      int8   // tokens of the line, bucketed
	Title, Credit int8   // words to a title before and to a credential after; 0 for none

	Used, Elsewhere uint16  // ways in which the token is used, and other tokens of the word in the document
	Phrases         []uint8 // by list of the reader's [Lists]: tokens of the phrase that covers the token, up to 5
}

// Ways is the number of used low bits in [Fact.Used] and [Fact.Elsewhere].
const Ways = int(anywhere)

// FactReader computes facts; for one goroutine. Readers and models with the same lists
// share what they know of words and of the last notes.
type FactReader struct {
	x       extractor
	lists   *Lists
	facts   []Fact
	phrases []uint8
}

// factPlan are the families that facts are parts of.
var factPlan = sync.OnceValue(func() plan {
	return planOf(List | Member | Layout | Section | Pattern | PHI | Title | Elsewhere)
})

// NewFactReader returns a reader with these lists.
func NewFactReader(lists *Lists) *FactReader {
	return &FactReader{x: extractor{plan: factPlan()}, lists: lists}
}

// Read returns a fact for each word of v. They are valid until the next call.
func (r *FactReader) Read(v annotate.View) []Fact {
	g := r.lists.gazette
	pool := &g.readers[0]
	r.x.reader = pool.take(g, false)
	r.x.read(unlabelled(v))
	r.fill()
	pool.give(r.x.reader)
	r.x.reader = nil
	return r.facts
}

// fill fills in the facts of the current document.
func (r *FactReader) fill() {
	x, s, lists := &r.x, r.x.doc, len(r.x.gazette.names)
	n := len(s.ids)
	r.facts, r.phrases = slices.Grow(r.facts[:0], n)[:n], slices.Grow(r.phrases[:0], n*lists)[:n*lists]
	clear(r.phrases)
	for t := range r.facts {
		w, c, line, p, form := x.infoAt(t), &s.chunks[t], &s.lines[t], &s.parts[t], &s.phi[t]
		j := &x.joints[c.joint]
		r.facts[t] = Fact{
			Lower: w.lower, Shape: w.shape, Member: w.member, Blur: w.blur, Class: byte(w.class), Gap: uint8(s.gaps[t]),
			Kind: form.kind, Place: form.place, Size: form.size,
			Run: j.text, RunKind: j.kind, RunAt: c.at, RunLeft: c.left, Digits: int(s.digits[t]),
			Head: line.lastHead, HeadDistance: line.distance, LinePlace: line.position, LineEnd: line.last,
			Section: p.words, SectionAt: p.distance, Above: p.from, Below: p.left, LineSize: p.size,
			Title: s.titles[t].behind, Credit: s.titles[t].ahead,
			Used: s.uses.at[t], Elsewhere: s.uses.elsewhere[t],
			Phrases: r.phrases[lists*t : lists*(t+1)],
		}
		for _, m := range s.find.matches[t] {
			r.facts[t].Phrases[m.list] = m.size
		}
	}
}
