// SPDX-License-Identifier: Apache-2.0

package fulltext

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Place is where a term of a query stands in a text, in bytes.
type Place struct {
	Start, End int
	Term       int // its index in the query
}

// mostPlaces is how many places of one term in one text are found.
const mostPlaces = 200

// Find finds the terms in a text: their places, by term, and whether all terms are there.
func (q Query) Find(text string) (places []Place, all bool) {
	words := cut(text)
	all = true
	for i, t := range q.Terms {
		before := len(places)
		places = t.find(places, words, i)
		all = all && len(places) > before
	}
	return places, all
}

// cutText is the words of a text.
type cutText struct {
	folded []byte // all words, one after the other
	words  []cutWord
}

type cutWord struct {
	from, to   int // in folded
	start, end int // in the text
}

func cut(text string) (c cutText) {
	c.folded = make([]byte, 0, len(text))
	Words(text, func(folded []byte, start, end int) {
		from := len(c.folded)
		c.folded = append(c.folded, folded...)
		c.words = append(c.words, cutWord{from, len(c.folded), start, end})
	})
	return c
}

func (t Term) find(places []Place, c cutText, term int) []Place {
	n := len(t.Words)
	for i, found := 0, 0; i+n <= len(c.words) && found < mostPlaces; i++ {
		if t.at(c, i) {
			places = append(places, Place{c.words[i].start, c.words[i+n-1].end, term})
			found++
		}
	}
	return places
}

// at reports whether the words of the term begin with word i of a text.
func (t Term) at(c cutText, i int) bool {
	for j, w := range t.Words {
		k := key{w, t.Prefix && j == len(t.Words)-1}
		if here := c.words[i+j]; !k.matches(c.folded[here.from:here.to]) {
			return false
		}
	}
	return true
}

// Passage is a part of a text.
type Passage struct {
	Parts               []Part
	First               Place // of a term in the passage, in the whole text
	CutBefore, CutAfter bool  // the text goes on
}

// Part is a piece of a passage.
type Part struct {
	Text  string
	Match bool // a term of the query
}

// Passage is the part of a text, of about width bytes, that has the most terms of the query.
// It has no parts if the text has none of the terms.
func (q Query) Passage(text string, width int) Passage {
	places, _ := q.Find(text)
	if len(places) == 0 {
		return Passage{}
	}
	first := densest(places, width)
	from, to := window(text, first, width)
	return Passage{divide(text, places, from, to), first, from > 0, to < len(text)}
}

// densest is the place from which the most terms are near, the first of equals. It looks at
// each place twice: a query of many short words has thousands of places in a long text.
func densest(places []Place, width int) (best Place) {
	byStart, byEnd := slices.Clone(places), slices.Clone(places)
	slices.SortStableFunc(byStart, func(a, b Place) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortFunc(byEnd, func(a, b Place) int { return cmp.Compare(a.End, b.End) })
	near := map[int]int{} // places of each term between p and limit
	most := 0
	for _, p := range byStart {
		limit := p.Start + width*3/4
		for ; len(byEnd) > 0 && byEnd[0].End <= limit; byEnd = byEnd[1:] {
			if o := byEnd[0]; o.Start >= p.Start {
				near[o.Term]++
			}
		}
		if terms := len(near); terms > most || most == 0 {
			best, most = p, max(1, terms)
		}
		if p.End <= limit {
			if near[p.Term]--; near[p.Term] == 0 {
				delete(near, p.Term)
			}
		}
	}
	return best
}

// window is the passage that begins a little before a place.
func window(text string, best Place, width int) (from, to int) {
	from = wordStart(text, max(0, best.Start-width/4), best.Start)
	to = min(len(text), max(from+width, best.End))
	if space := strings.LastIndexAny(text[best.End:to], " \t\r\n"); to < len(text) && space >= 0 {
		to = best.End + space
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return from, to
}

// wordStart is the first byte after white space between from and limit, or the first
// character there.
func wordStart(text string, from, limit int) int {
	if from == 0 {
		return 0
	}
	if space := strings.IndexAny(text[from:limit], " \t\r\n"); space >= 0 {
		return from + space + 1
	}
	for from < limit && !utf8.RuneStart(text[from]) {
		from++
	}
	return from
}

// divide cuts a passage at the places of terms. Where terms overlap they form one part.
func divide(text string, places []Place, from, to int) (parts []Part) {
	hit := make([]bool, to-from)
	for _, p := range places {
		for i := max(p.Start, from); i < min(p.End, to); i++ {
			hit[i-from] = true
		}
	}
	for start := from; start < to; {
		end := start + 1
		for end < to && hit[end-from] == hit[start-from] {
			end++
		}
		parts = append(parts, Part{text[start:end], hit[start-from]})
		start = end
	}
	return parts
}
