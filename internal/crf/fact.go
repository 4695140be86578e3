// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"hide/internal/annotate"
)

// Fact is what the features say of a token before anything is trained, for
// learners that want numbers and not attributes. Bucketed numbers count from 0 and
// grow with what they count.
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
	Digits         int    // of the run of numbers that the token is in

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

// Ways is how many low bits of [Fact.Used] and [Fact.Elsewhere] say something.
const Ways = int(anywhere)

// FactReader tells facts. It remembers words from one document to the next and is
// for one goroutine.
type FactReader struct{ x *extractor }

// NewFactReader returns one that knows these lists.
func NewFactReader(lists *Lists) *FactReader {
	const families = List | Member | Layout | Section | Pattern | PHI | Title | Elsewhere
	return &FactReader{newExtractor(families, lists.gazette, nil)}
}

// Read gives a fact for each word of v.
func (r *FactReader) Read(v annotate.View) []Fact {
	x, d := r.x, unlabelled(v)
	x.prepare(d)
	facts, lists := make([]Fact, len(d.words)), len(x.gazette.names)
	phrases := make([]uint8, lists*len(facts))
	for t := range facts {
		w, s := x.infoAt(t), &x.doc
		c, line, p := &s.chunks[t], &s.lines[t], &s.parts[t]
		facts[t] = Fact{
			Lower: w.lower, Shape: w.shape, Member: w.member, Blur: w.blur, Class: byte(w.class), Gap: uint8(s.gaps[t]),
			Kind: s.phi[t].kind, Place: s.phi[t].place, Size: s.phi[t].size,
			Run: c.text, RunKind: c.kind, RunAt: c.at, RunLeft: c.left, Digits: int(s.digits[t]),
			Head: line.lastHead, HeadDistance: line.distance, LinePlace: line.position, LineEnd: line.last,
			Section: p.words, SectionAt: p.distance, Above: p.from, Below: p.left, LineSize: p.size,
			Title: s.titles[t].behind, Credit: s.titles[t].ahead,
			Used: s.uses.at[t] &^ (1 << anywhere), Elsewhere: x.usedElsewhere(t),
			Phrases: phrases[lists*t : lists*(t+1)],
		}
		for _, m := range s.find.matches[t] {
			facts[t].Phrases[m.list] = m.size
		}
	}
	return facts
}
