// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"math"
	mathbits "math/bits"

	"hide/internal/publish/table"
)

// extents are what sets of points have of all axes: of a small axis the set of
// their codes, as bits of a word that several axes may share, of a wide one the
// least and the greatest code.
type extents struct {
	words    []uint64 // [set][word], flat
	low, top []int32  // [set][wide axis], flat
	w, v     int      // words and wide axes of one set
}

// reset makes room for n empty sets.
func (e *extents) reset(n int) {
	e.words, e.low, e.top = e.words[:0], e.low[:0], e.top[:0]
	for range n {
		e.open()
	}
}

// open adds an empty set.
func (e *extents) open() {
	for range e.w {
		e.words = append(e.words, 0)
	}
	for range e.v {
		e.low, e.top = append(e.low, math.MaxInt32), append(e.top, -1)
	}
}

// join adds set j of f to set i.
func (e *extents) join(i int, f *extents, j int) {
	for x, word := range f.words[j*e.w : j*e.w+e.w] {
		e.words[i*e.w+x] |= word
	}
	for x, low := range f.low[j*e.v : j*e.v+e.v] {
		e.low[i*e.v+x] = min(e.low[i*e.v+x], low)
		e.top[i*e.v+x] = max(e.top[i*e.v+x], f.top[j*e.v+x])
	}
}

// set gives the codes that set i has of a small axis, as bits.
func (e *extents) set(i int, a *axis) uint64 { return e.words[i*e.w+a.place] >> a.shift & a.mask }

// ends gives the least and the greatest code that set i has of an axis.
func (e *extents) ends(i int, a *axis) (lo, hi int32) {
	if a.mask == 0 {
		return e.low[i*e.v+a.place], e.top[i*e.v+a.place]
	}
	set := e.set(i, a)
	return int32(mathbits.TrailingZeros64(set)), int32(bits - 1 - mathbits.LeadingZeros64(set))
}

// loss is about what an attribute loses in set i. It is the NCP of numbers,
// ordinals, sets and trees; codes and dates go by their distance.
func (e *extents) loss(i int, a *axis) float64 {
	lo, hi := e.ends(i, a)
	switch {
	case lo == hi:
		return 0
	case a.sets:
		return float64(mathbits.OnesCount64(e.set(i, a))) * a.share
	case a.column.Tree != nil:
		return treeLoss(a.column.Tree, lo, hi)
	}
	return min(1, a.position[hi]-a.position[lo])
}

// treeLoss is the share of values under the lowest node above two.
func treeLoss(t *table.Tree, a, b int32) float64 {
	for level, nodes := range t.Nodes {
		if nodes[a] == nodes[b] {
			return float64(t.Leaves[level][nodes[a]]) / float64(t.Total)
		}
	}
	return 1
}
