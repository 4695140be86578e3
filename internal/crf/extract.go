// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strconv"
	"unicode/utf8"
)

// scratch is the extractor's per-document state, computed before its tokens.
type scratch struct {
	known   []string
	runs    []run
	heard   []firstPassEvidence
	ids     []int32 // word of each token
	counts  []int32 // by word, 0 for those of other documents
	shares  []int32 // by count: the bundle of a word's share of the document
	gaps    []gap   // gaps[i] is what stands before token i
	phrases []int32
	find    finder
	lines   []place
	starts  []int // first token of each line
	parts   []part
	chunks  []chunk
	digits  []int32
	symbols []byte
	phi     []identifier
	titles  []titled
	uses    uses
	under   []bool // by token, whether a colon is before it on its line
	said    []byte // by token, the known identifiers that it belongs to
}

// restTokens is the number of tokens between two checks for cancellation.
const restTokens = 1 << 10

func (x *extractor) stops() bool { return x.stopped != nil && x.stopped() }

// extract calls yield with each token's bundles in order. The slice is reused.
func (x *extractor) extract(d sequence, yield func(t int, bundles []int32)) {
	x.prepare(d)
	var bundles []int32
	for t := range d.words {
		if t%restTokens == 0 && x.stops() {
			return
		}
		bundles = x.token(t, bundles[:0])
		yield(t, bundles)
	}
}

func (x *extractor) prepare(d sequence) {
	s := &x.doc
	if x.has(Context) {
		for _, id := range s.ids { // of the document before
			s.counts[id] = 0
		}
	}
	s.ids, s.known, s.heard = s.ids[:0], d.known, d.firstPass
	for t, w := range d.words {
		if t%restTokens == 0 && x.stops() {
			s.ids = s.ids[:0] // which nothing has counted
			return
		}
		s.ids = append(s.ids, x.wordID(w))
	}
	if x.has(Context) {
		x.prepareShares()
	}
	s.gaps = gapsOf(d, s.gaps[:0])
	if x.gazette != nil {
		s.phrases = s.phrases[:0]
		for _, id := range s.ids {
			s.phrases = append(s.phrases, x.infos[id].phrase)
		}
		x.gazette.find(s.phrases, &s.find)
	}
	for _, f := range x.active {
		if f.prepare != nil && !x.stops() {
			f.prepare(x)
		}
	}
}

// wordAt is the word of token t, which may be outside the document.
func (x *extractor) wordAt(t int) int32 {
	if t < 0 || t >= len(x.doc.ids) {
		return edgeWord
	}
	return x.doc.ids[t]
}

// infoAt is the information about the word of token t, which may be outside.
func (x *extractor) infoAt(t int) *word { return &x.infos[x.wordAt(t)] }

func (x *extractor) token(t int, to []int32) []int32 {
	to = keep(to, x.slot(x.doc.ids[t], 0))
	for offset := -x.reach; offset <= x.reach; offset++ {
		at := t + offset
		inside := at >= 0 && at < len(x.doc.ids)
		if offset != 0 && (inside || offset == -1 || offset == 1) {
			to = keep(to, x.slot(x.wordAt(at), offset))
		}
	}
	if x.gazette != nil {
		to = keep(to, x.matched(t))
	}
	for _, f := range x.tokens {
		to = f(x, t, to)
	}
	return to
}

func keep(to []int32, bundle int32) []int32 {
	if bundle < 0 {
		return to
	}
	return append(to, bundle)
}

// prepareShares counts how often each word occurs.
func (x *extractor) prepareShares() {
	s := &x.doc
	for len(s.counts) < len(x.infos) {
		s.counts = append(s.counts, 0)
	}
	most := int32(0)
	for _, id := range s.ids {
		s.counts[id]++
		most = max(most, s.counts[id])
	}
	s.shares = s.shares[:0]
	for range most + 1 {
		s.shares = append(s.shares, unset)
	}
}

// occurrences is the word's share of the document.
func (x *extractor) occurrences(t int, to []int32) []int32 {
	count, size := x.doc.counts[x.doc.ids[t]], len(x.doc.ids)
	share := &x.doc.shares[count]
	if *share == unset {
		*share = x.keyed(bundleKey{countBundle, count, int32(size), 0}, func(a *attributes) {
			a.addValue(float64(count)/float64(size), "TERMOCCNUM")
		})
	}
	return keep(to, *share)
}

// shapes is the word's shape with those of its neighbours.
func (x *extractor) shapes(t int, to []int32) []int32 {
	before, own, after := x.infoAt(t-1), x.infoAt(t), x.infoAt(t+1)
	return keep(to, x.keyed(bundleKey{shapesBundle, before.shapeID, own.shapeID, after.shapeID}, func(a *attributes) {
		a.add("s-0=", before.shape, "|", own.shape)
		a.add("s0+=", own.shape, "|", after.shape)
		a.add("s-0+=", before.shape, "|", own.shape, "|", after.shape)
	}))
}

func ownTerm(x *extractor, w *word) { x.attrs.add("TERM_", w.text) }

func ownExpressions(x *extractor, w *word) {
	for _, name := range expressions(w.text) {
		x.attrs.add(name)
	}
}

func ownAffixes(x *extractor, w *word) { affixes(&x.attrs, "PRE", "SUF", w.text, 1, 3) }

func ownFold(x *extractor, w *word) { x.attrs.add("l=", w.lower) }

func ownShape(x *extractor, w *word) {
	x.attrs.add("s=", w.shape)
	x.attrs.add("ss=", collapse(w.shape))
	x.attrs.add("n=", bucket(len([]rune(w.text)), 1, 2, 3, 4, 6, 8, 12, 20))
}

// ownLongAffixes leaves at least two letters of the word: an affix that is nearly the
// whole word adds nothing to the word.
func ownLongAffixes(x *extractor, w *word) {
	affixes(&x.attrs, "p", "q", w.lower, 2, min(5, utf8.RuneCountInString(w.lower)-2))
}

func nearContext(x *extractor, w *word, offset int) {
	if w.text != edgeText {
		x.attrs.add(contextNames[offset+reach], w.text)
	}
}

// contextNames are the names of neighbour features by distance.
var contextNames = [2*reach + 1]string{"PREV3_", "PREV2_", "PREV1_", "PREV0_", "", "NEXT0_", "NEXT1_", "NEXT2_", "NEXT3_"}

func nearFold(x *extractor, w *word, offset int) {
	x.attrs.add("l", signed(offset), "=", w.lower)
	switch {
	case offset < 0 && offset >= -3:
		x.attrs.add("l-=", w.lower)
	case offset > 0 && offset <= 3:
		x.attrs.add("l+=", w.lower)
	}
}

func nearShape(x *extractor, w *word, offset int) { x.attrs.add("s", signed(offset), "=", w.shape) }

func signed(offset int) string {
	if offset > 0 {
		return "+" + strconv.Itoa(offset)
	}
	return strconv.Itoa(offset)
}

// bucket names the range of n: the largest bound not above it.
func bucket(n int, bounds ...int) string {
	name := 0
	for _, b := range bounds {
		if n >= b {
			name = b
		}
	}
	return strconv.Itoa(name)
}
