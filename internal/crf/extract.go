// SPDX-License-Identifier: Apache-2.0

package crf

import "strconv"

// scratch is what the extractor works out about one document before it looks at
// its tokens one by one.
type scratch struct {
	ids    []int32 // word of each token
	counts map[int32]int
	gaps   []gap // gaps[i] is what stands before token i
	hits   []int32
	lines  []place
	chunks []chunk
	digits []int32
}

// extract calls yield with each token's bundles in order. The slice is reused.
func (x *extractor) extract(d Doc, yield func(t int, bundles []int32)) {
	x.prepare(d)
	var bundles []int32
	for t := range d.Words {
		bundles = x.token(t, bundles[:0])
		yield(t, bundles)
	}
}

func (x *extractor) prepare(d Doc) {
	s := &x.doc
	s.ids = s.ids[:0]
	s.counts = map[int32]int{}
	for _, w := range d.Words {
		id := x.wordID(w)
		s.ids = append(s.ids, id)
		s.counts[id]++
	}
	s.gaps = gapsOf(d, s.gaps[:0])
	if x.gazette != nil {
		s.hits = x.gazette.find(x, s.hits[:0])
	}
	if x.has(Layout) {
		s.lines = x.layout(s.lines[:0])
	}
	if x.has(Pattern) {
		s.chunks = x.chunk(s.chunks[:0])
		s.digits = x.digitRuns(s.digits[:0])
	}
}

// wordAt is the word of token t, which may lie outside the document.
func (x *extractor) wordAt(t int) int32 {
	if t < 0 || t >= len(x.doc.ids) {
		return edgeWord
	}
	return x.doc.ids[t]
}

func (x *extractor) token(t int, to []int32) []int32 {
	to = keep(to, x.slot(x.doc.ids[t], 0))
	if x.has(Context) {
		to = x.context(t, to)
	}
	if x.gazette != nil && x.doc.hits[t] >= 0 {
		to = keep(to, x.doc.hits[t])
	}
	if x.has(Shape) {
		to = keep(to, x.shapes(t))
	}
	if x.has(Pair) {
		to = x.pairs(t, to)
	}
	if x.has(Layout) {
		to = x.place(t, to)
	}
	if x.has(Pattern) {
		to = x.patterns(t, to)
	}
	return to
}

func keep(to []int32, bundle int32) []int32 {
	if bundle < 0 {
		return to
	}
	return append(to, bundle)
}

// context is the four words each way and the word's share of the document.
func (x *extractor) context(t int, to []int32) []int32 {
	for offset := -reach; offset <= reach; offset++ {
		at := t + offset
		inside := at >= 0 && at < len(x.doc.ids)
		if offset != 0 && (inside || offset == -1 || offset == 1) {
			to = keep(to, x.slot(x.wordAt(at), offset))
		}
	}
	count, size := x.doc.counts[x.doc.ids[t]], len(x.doc.ids)
	return keep(to, x.keyed(bundleKey{countBundle, int32(count), int32(size), 0}, func(a *attributes) {
		a.addValue(float64(count)/float64(size), "TERMOCCNUM")
		if x.has(Fold) {
			a.add("occurs=", bucket(count, 1, 2, 3, 5, 9))
		}
	}))
}

// shapes is the word's shape with those of its neighbours.
func (x *extractor) shapes(t int) int32 {
	before, own, after := &x.infos[x.wordAt(t-1)], &x.infos[x.doc.ids[t]], &x.infos[x.wordAt(t+1)]
	return x.keyed(bundleKey{shapesBundle, before.shapeID, own.shapeID, after.shapeID}, func(a *attributes) {
		a.add("s-0=", before.shape, "|", own.shape)
		a.add("s0+=", own.shape, "|", after.shape)
		a.add("s-0+=", before.shape, "|", own.shape, "|", after.shape)
	})
}

// pairs is the word with the one before and with the one after.
func (x *extractor) pairs(t int, to []int32) []int32 {
	before, own, after := &x.infos[x.wordAt(t-1)], &x.infos[x.doc.ids[t]], &x.infos[x.wordAt(t+1)]
	to = keep(to, x.keyed(bundleKey{pairBeforeBundle, before.lowerID, own.lowerID, 0}, func(a *attributes) {
		a.add("w-0=", before.lower, "|", own.lower)
	}))
	return keep(to, x.keyed(bundleKey{pairAfterBundle, own.lowerID, after.lowerID, 0}, func(a *attributes) {
		a.add("w0+=", own.lower, "|", after.lower)
	}))
}

// ownAttributes is all that depends on the word alone.
func (x *extractor) ownAttributes(w *word) {
	a := &x.attrs
	a.add("TERM_", w.text)
	if x.has(Regex) {
		for _, name := range expressions(w.text) {
			a.add(name)
		}
	}
	if x.has(Affix) {
		affixes(a, "PRE", "SUF", w.text, 1, 3)
	}
	if x.has(Fold) {
		a.add("l=", w.lower)
	}
	if x.has(Shape) {
		a.add("s=", w.shape)
		a.add("ss=", collapse(w.shape))
		a.add("n=", bucket(len([]rune(w.text)), 1, 2, 3, 4, 6, 8, 12, 20))
	}
	if x.has(LongAffix) {
		affixes(a, "p", "q", w.lower, 2, 5)
	}
}

// neighbourAttributes is what a word tells about the token offset places before it
// (offset > 0: the word comes after).
func (x *extractor) neighbourAttributes(w *word, offset int) {
	a, at := &x.attrs, signed(offset)
	if w.text != "\x00" {
		if offset < 0 {
			a.add("PREV", strconv.Itoa(-offset-1), "_", w.text)
		} else {
			a.add("NEXT", strconv.Itoa(offset-1), "_", w.text)
		}
	} else if !x.has(Fold) {
		return
	}
	if x.has(Fold) {
		a.add("l", at, "=", w.lower)
		if offset < 0 && offset >= -3 {
			a.add("l-=", w.lower)
		} else if offset <= 3 {
			a.add("l+=", w.lower)
		}
	}
	if x.has(Shape) && offset >= -2 && offset <= 2 {
		a.add("s", at, "=", w.shape)
	}
	if x.has(LongAffix) && (offset == -1 || offset == 1) {
		affixes(a, "p"+at, "q"+at, w.lower, 2, 3)
	}
}

func signed(offset int) string {
	if offset > 0 {
		return "+" + strconv.Itoa(offset)
	}
	return strconv.Itoa(offset)
}

// bucket names the range that n falls in: the greatest bound not above it.
func bucket(n int, bounds ...int) string {
	name := 0
	for _, b := range bounds {
		if n >= b {
			name = b
		}
	}
	return strconv.Itoa(name)
}
