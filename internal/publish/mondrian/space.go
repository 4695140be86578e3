// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"math"
	mathbits "math/bits"

	"hide/internal/publish/table"
)

// space holds the different rows of a table by their quasi-identifiers. Points are equal
// rows, in the order of their codes. Rows without a person in the population have weight
// 0: an attacker who looks for them in the population finds other people.
type space struct {
	axes   []axis
	codes  []int32 // [point][axis], flat
	weight []int32 // [point] rows that k counts
	first  []int32 // [point] place of its first row in rows; one more at the end
	rows   []int32
	points extents // [point]
	wide   []int   // axes with more values than a word has bits
}

// axis is one quasi-identifier.
type axis struct {
	column   *table.Column
	position []float64 // [code] 0 to 1; the missing value has a distance of 1 or more from all others
	share    float64   // share of one value among all, for sets
	sets     bool      // small and nominal: the loss is the number of values
	place    int       // index of the word for a small axis, of the wide axes for a wide one
	shift    uint      // in the word
	mask     uint64    // of its bits before they are shifted; 0 for a wide axis
}

// bits is how many values a small axis may have.
const bits = 64

func newSpace(t *table.Table, together bool) *space {
	s := &space{}
	for _, c := range t.With(table.Quasi) {
		s.axes = append(s.axes, newAxis(c))
	}
	s.place()
	s.rows = s.sorted(t.Rows)
	for i, row := range s.rows {
		if i == 0 || !together || !s.alike(s.rows[i-1], row) {
			for _, a := range s.axes {
				s.codes = append(s.codes, a.column.Codes[row])
			}
			s.weight = append(s.weight, 0)
			s.first = append(s.first, int32(i))
		}
		if !t.Absent(row) {
			s.weight[len(s.weight)-1]++
		}
	}
	s.first = append(s.first, int32(len(s.rows)))
	s.enclose()
	return s
}

// place gives each small axis bits in the first word with room.
func (s *space) place() {
	var used []uint
	for i := range s.axes {
		a := &s.axes[i]
		width := uint(len(a.column.Domain))
		if width > bits {
			a.place = len(s.wide)
			s.wide = append(s.wide, i)
			continue
		}
		for a.place < len(used) && used[a.place]+width > bits {
			a.place++
		}
		if a.place == len(used) {
			used = append(used, 0)
		}
		a.shift, a.mask = used[a.place], 1<<width-1
		used[a.place] += width
	}
	s.points.w, s.points.v = len(used), len(s.wide)
}

// enclose makes the extents of single points.
func (s *space) enclose() {
	s.points.reset(len(s.weight))
	for p := range s.weight {
		for i, code := range s.at(int32(p)) {
			if a := &s.axes[i]; a.mask != 0 {
				s.points.words[p*s.points.w+a.place] |= 1 << (uint(code) + a.shift)
			} else {
				s.points.low[p*s.points.v+a.place], s.points.top[p*s.points.v+a.place] = code, code
			}
		}
	}
}

func newAxis(c *table.Column) axis {
	a := axis{column: c, position: make([]float64, len(c.Domain)), share: 1 / float64(len(c.Domain))}
	for code := range a.position {
		if c.IsMissing(int32(code)) {
			a.position[code] = 2
			continue
		}
		a.position[code] = c.Spread(0, int32(code))
	}
	a.sets = len(c.Domain) <= bits && c.Kind == table.Nominal && c.Tree == nil
	return a
}

// sorted returns the rows in the order of their codes, by counting sort, the last
// attribute first. Equal rows keep their order.
func (s *space) sorted(n int) []int32 {
	rows, next := make([]int32, n), make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	for i := len(s.axes) - 1; i >= 0; i-- {
		codes := s.axes[i].column.Codes
		place := make([]int32, len(s.axes[i].column.Domain)+1)
		for _, code := range codes {
			place[code+1]++
		}
		for code := 1; code < len(place); code++ {
			place[code] += place[code-1]
		}
		for _, row := range rows {
			code := codes[row]
			next[place[code]] = row
			place[code]++
		}
		rows, next = next, rows
	}
	return rows
}

func (s *space) alike(a, b int32) bool {
	for _, axis := range s.axes {
		if axis.column.Codes[a] != axis.column.Codes[b] {
			return false
		}
	}
	return true
}

// at gives the codes of a point.
func (s *space) at(point int32) []int32 {
	d := len(s.axes)
	return s.codes[int(point)*d : int(point)*d+d]
}

// rowsOf gives the rows of a point.
func (s *space) rowsOf(point int32) []int32 { return s.rows[s.first[point]:s.first[point+1]] }

// extents are the extents of sets of points on all axes. For a small axis it is the set
// of codes, as bits of a word that several axes may share; for a wide one the smallest
// and largest code.
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

// set returns the codes of a small axis in set i, as bits.
func (e *extents) set(i int, a *axis) uint64 { return e.words[i*e.w+a.place] >> a.shift & a.mask }

// ends returns the smallest and largest code of an axis in set i.
func (e *extents) ends(i int, a *axis) (lo, hi int32) {
	if a.mask == 0 {
		return e.low[i*e.v+a.place], e.top[i*e.v+a.place]
	}
	set := e.set(i, a)
	return int32(mathbits.TrailingZeros64(set)), int32(bits - 1 - mathbits.LeadingZeros64(set))
}

// loss is the approximate loss of an attribute in set i: the NCP for numbers, ordinals,
// sets and trees; the distance for codes and dates.
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

// treeLoss is the share of values under the lowest common ancestor of two.
func treeLoss(t *table.Tree, a, b int32) float64 {
	for level, nodes := range t.Nodes {
		if nodes[a] == nodes[b] {
			return float64(t.Leaves[level][nodes[a]]) / float64(t.Total)
		}
	}
	return 1
}
