// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math"
	"math/bits"
)

// Pairs say which attributes get a weight for which state.
type Pairs string

// The choices of pairs. Weights for states that an attribute was not seen with are
// evidence against them: on three corpora Observed costs 0.3 to 1 points of F1. For an
// attribute never seen in a span, one weight for O carries the same information as
// weights for all states. So with 22 labels Auto has a quarter of All's weights.
const (
	Auto     Pairs = "auto"     // All for up to four labels and for attributes seen in a span; O alone for the others
	Observed Pairs = "observed" // only pairs in the training data, as CRFsuite does by default
	All      Pairs = "all"      // every attribute with every state
)

// fewStates is how many states Auto treats as few: those of four labels.
const fewStates = 9

// stateSets holds many sets of states.
type stateSets struct {
	words int // of 64 bits each per set
	bits  []uint64
}

func newStateSets(n, states int) stateSets {
	words := (states + 63) / 64
	return stateSets{words, make([]uint64, n*words)}
}

func (s stateSets) of(i int) []uint64 { return s.bits[i*s.words : (i+1)*s.words] }

func (s stateSets) add(i, state int) { s.bits[i*s.words+state/64] |= 1 << (state % 64) }

// size is the number of states of set i.
func (s stateSets) size(i int) int {
	n := 0
	for _, w := range s.of(i) {
		n += bits.OnesCount64(w)
	}
	return n
}

// only reports whether set i contains just the given state, one of the first 64.
func (s stateSets) only(i, state int) bool {
	for k, w := range s.of(i) {
		if k == 0 {
			w &^= 1 << state
		}
		if w != 0 {
			return false
		}
	}
	return true
}

func (s stateSets) merge(i int, from []uint64) {
	for k, w := range from {
		s.bits[i*s.words+k] |= w
	}
}

// noState is the state of a padding weight.
const noState = math.MaxUint16

// usage is where an attribute's weights are added. Attributes are numbered in this
// order.
type usage uint8

const (
	isScaled usage = iota // sums of bundles, with values that are not all 1
	isShared              // sums of bundles
	isSpread              // sums of bundles, of several words and not for O only
	isAlone               // scores of O directly: the only attribute of its bundles
	isOnce                // the same, for a single token
	isDense               // whole rows
	isUnused
)

// choose gives weights to the attributes that are frequent enough.
func (d *dataset) choose(c *collector, lines []table, t tally, docs []sequence, o Options) {
	counts, seen := t.attributes(c, d.states.count())
	d.census = &census{counts: counts, seen: seen}
	often := d.frequent(c, lines, counts, docs, o)
	scaled := c.scaled()
	dense := d.dense(c, seen, scaled, o)
	uses := d.uses(c, counts, often, scaled, dense, seen)
	d.pairs = make([]uint16, d.states.transitions())
	d.rows = append(d.rows, int32(len(d.pairs)))
	add := func(which usage, pairs func(a int)) int {
		for a, use := range uses {
			if use == which {
				d.attributes = append(d.attributes, int32(a))
				pairs(a)
				d.rows = append(d.rows, int32(len(d.pairs)))
			}
		}
		return len(d.attributes)
	}
	observed := func(a int) { d.addPairs(seen.of(a)) }
	d.scaled = add(isScaled, observed)
	d.shared = add(isShared, observed)
	d.spreadEnd = add(isSpread, func(a int) {
		observed(a)
		for _, state := range d.pairs[len(d.pairs)-seen.size(a):] {
			d.places = append(d.places, uint16(d.layout.Place(int(state))))
		}
	})
	d.alone = add(isAlone, observed)
	d.sparse = add(isOnce, observed)
	add(isDense, func(int) { d.addRow() })
}

// uses returns the usage of each attribute.
func (d *dataset) uses(c *collector, counts []int32, often, scaled, dense []bool, seen stateSets) []usage {
	uses := make([]usage, len(counts))
	for a, n := range counts {
		switch {
		case !often[a]:
			uses[a] = isUnused
		case dense[a]:
			uses[a] = isDense
		case scaled[a]:
			uses[a] = isScaled
		case !seen.only(a, 0) && n >= worthARow:
			uses[a] = isSpread
		case !seen.only(a, 0):
			uses[a] = isShared
		case n == 1:
			uses[a] = isOnce
		default:
			uses[a] = isAlone
		}
	}
	for b := range c.bundles.len() {
		kept := 0
		for _, a := range c.bundles.row(b) {
			if often[a] {
				kept++
			}
		}
		for _, a := range c.bundles.row(b) {
			if kept > 1 && (uses[a] == isAlone || uses[a] == isOnce) {
				uses[a] = isShared
			}
		}
	}
	return uses
}

// dense returns which attributes get a row with a weight for every state, and adds to
// seen the pairs that the others get.
func (d *dataset) dense(c *collector, seen stateSets, scaled []bool, o Options) []bool {
	dense, l := make([]bool, len(c.names)), d.states.count()
	if o.Pairs == Observed {
		return dense
	}
	padded := l > fewStates || 2*d.layout.Stride <= 3*l // otherwise rows would be mostly padding
	for a := range dense {
		all := o.everyState(seen, a, l)
		dense[a] = all && padded && !scaled[a]
		for s := 0; all && !dense[a] && s < l; s++ {
			seen.add(a, s)
		}
	}
	return dense
}

// everyState reports whether attribute a gets a weight for each of the l states.
func (o Options) everyState(seen stateSets, a, l int) bool {
	return o.Pairs == All || o.Pairs != Observed && (l <= fewStates || !seen.only(a, 0))
}

// scaled returns which attributes have values other than 1.
func (c *collector) scaled() []bool {
	scaled := make([]bool, len(c.names))
	for i, v := range c.values {
		if v != 1 {
			scaled[c.bundles.items[i]] = true
		}
	}
	return scaled
}

// worthARow is the minimum number of words of an attribute with a row of its own.
const worthARow = 4

// addRow adds a weight for every place of a row.
func (d *dataset) addRow() {
	from := len(d.pairs)
	for range d.layout.Stride {
		d.pairs = append(d.pairs, noState)
	}
	for s := range d.states.count() {
		d.pairs[from+d.layout.Place(s)] = uint16(s)
	}
	d.padding += d.layout.Stride - d.states.count()
}

func (d *dataset) addPairs(set []uint64) {
	for k, w := range set {
		for ; w != 0; w &= w - 1 {
			d.pairs = append(d.pairs, uint16(64*k+bits.TrailingZeros64(w)))
		}
	}
}

// attributes returns the number of tokens of each attribute, and the states it was seen
// with.
func (t tally) attributes(c *collector, l int) (counts []int32, seen stateSets) {
	counts, seen = make([]int32, len(c.names)), newStateSets(len(c.names), l)
	for b, n := range t.counts {
		if n == 0 {
			continue
		}
		for _, a := range c.bundles.row(b) {
			counts[a] += n
			seen.merge(int(a), t.with.of(b))
		}
	}
	return counts, seen
}

// An attribute of only one document says nothing about the next one. Yet training would
// explain that document's words by it, and learn less from what documents share:
// shapes, neighbours, lists. So attributes count by documents, and by patients where
// these are known. With few documents there is little to choose from, and attributes
// count by words.

// fewGroups is the number of documents or patients up to which they are few.
const fewGroups = 10

// grouped lists the documents of each patient one after another; each other document is
// its own group.
func grouped(docs []sequence) [][]int {
	return groupedBy(len(docs), func(i int) string { return docs[i].group })
}

func groupedBy(n int, group func(i int) string) [][]int {
	at, groups := map[string]int{}, [][]int(nil)
	for i := range n {
		name := group(i)
		g, known := at[name]
		if name == "" || !known {
			g = len(groups)
			groups = append(groups, nil)
			at[name] = g
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// spread is the number of groups of documents with each attribute.
func (d *dataset) spread(c *collector, lines []table, groups [][]int) []int32 {
	counts, marks := make([]int32, len(c.names)), newMarks(c)
	for _, members := range groups {
		marks.next()
		for _, doc := range members {
			marks.add(lines[doc].items, func(a int32) { counts[a]++ })
		}
	}
	return counts
}

// marks record which attributes the current group of documents has.
type marks struct {
	collector  *collector
	group      int32
	attributes []int32 // by attribute: the last group that has it
	bundles    []int32
}

func newMarks(c *collector) *marks {
	return &marks{collector: c, attributes: make([]int32, len(c.names)), bundles: make([]int32, c.bundles.len())}
}

// next begins another group.
func (m *marks) next() { m.group++ }

// add calls first for each attribute that the bundles bring to the group for the first
// time.
func (m *marks) add(bundles []int32, first func(a int32)) {
	for _, b := range bundles {
		if m.bundles[b] == m.group {
			continue
		}
		m.bundles[b] = m.group
		for _, a := range m.collector.bundles.row(int(b)) {
			if m.attributes[a] != m.group {
				m.attributes[a] = m.group
				first(a)
			}
		}
	}
}

// byGroups reports whether attributes count by groups if there are n groups.
func (o Options) byGroups(n int) bool {
	return o.MinDocuments >= 2 && n >= max(fewGroups, o.MinDocuments)
}

// frequent reports, by attribute, whether it is frequent enough to have weights: in
// MinCount words and, unless documents are few, in MinDocuments of them.
func (d *dataset) frequent(c *collector, lines []table, counts []int32, docs []sequence, o Options) []bool {
	keep := make([]bool, len(counts))
	for a, n := range counts {
		keep[a] = n > 0 && n >= int32(o.MinCount)
	}
	groups := grouped(docs)
	if !o.byGroups(len(groups)) {
		return keep
	}
	d.census.groups = d.spread(c, lines, groups)
	for a, n := range d.census.groups {
		keep[a] = keep[a] && n >= int32(o.MinDocuments)
	}
	return keep
}
