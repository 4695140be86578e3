// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// Transitions hold M = exp(w) of the allowed transitions in the forms that the
// recursions need. M is zero if a transition is forbidden or a place has no state.
// Initially M is 1 for every allowed transition. Many goroutines may read them.
type Transitions[F Float] struct {
	layout  Layout
	forward []F        // [Stride][columns] M[i][j]
	back    []F        // [columns][Stride] M[i][j] at [j][i]
	lanes   []F        // [2][Lanes] B to I and I to I; empty if dense
	ends    []F        // [2][Stride] 1 where a sequence can start, and for every state
	strange int        // number of values that F cannot compute with
	sparse  *sparse[F] // nil if all may vary
}

// NewTransitions makes transitions of weight 0.
func NewTransitions[F Float](l Layout) *Transitions[F] {
	t := &Transitions[F]{
		layout:  l,
		forward: make([]F, l.entries()),
		back:    make([]F, l.entries()),
		lanes:   make([]F, l.continuations()),
		ends:    append(row[F](l, l.starts(), 1, 0, 0), row[F](l, 0, 1, 1, 0)...),
	}
	for from := range l.States() {
		for to := range l.States() {
			if l.allows(from, to) {
				t.put(from, to, 1)
			}
		}
	}
	return t
}

// Set gives the transition between two states the value exp(weight). It panics if the
// transition is forbidden, or if a fixed one gets a value other than 1. A value outside
// the range of F, exp(+-40) in float32 and exp(+-300) in float64, or not a number,
// makes every [Chain.Run] fail until it is set again.
func (t *Transitions[F]) Set(from, to int, value float64) {
	if !t.layout.allows(from, to) {
		panicForbidden(from, to)
	}
	if s := t.sparse; s != nil && value != 1 && s.fixed[t.layout.Place(from)*t.layout.Stride+t.layout.Place(to)] {
		panic("kernel: a transition that does not vary")
	}
	if t.isStrange(float64(t.at(from, to))) {
		t.strange--
	}
	t.put(from, to, F(value))
	if t.isStrange(float64(t.at(from, to))) {
		t.strange++
	}
}

// Exclude removes a state permanently from all paths: do not [Transitions.Set] any of
// its transitions afterwards.
func (t *Transitions[F]) Exclude(state int) {
	l := t.layout
	if t.sparse != nil {
		t.sparse.setMask(l.Place(state), 0)
	}
	for other := range l.States() {
		for _, arc := range [][2]int{{state, other}, {other, state}} {
			if l.allows(arc[0], arc[1]) {
				t.put(arc[0], arc[1], 0)
			}
		}
	}
	t.ends[l.Place(state)], t.ends[l.Stride+l.Place(state)] = 0, 0
}

func (t *Transitions[F]) start() []F { return t.ends[:t.layout.Stride] }
func (t *Transitions[F]) end() []F   { return t.ends[t.layout.Stride:] }

func (t *Transitions[F]) isStrange(value float64) bool {
	bound := limits[F]().weight
	return !(math.Exp(-bound) <= value && value <= math.Exp(bound))
}

func (t *Transitions[F]) put(from, to int, value F) {
	l := t.layout
	i, continues := l.arc(from, to)
	if continues {
		t.lanes[i] = value
		return
	}
	t.forward[i] = value
	t.back[i%l.columns()*l.Stride+i/l.columns()] = value
	if t.sparse != nil {
		t.sparse.put(i/l.columns(), i%l.columns(), value)
	}
}

func (t *Transitions[F]) at(from, to int) F {
	i, continues := t.layout.arc(from, to)
	if continues {
		return t.lanes[i]
	}
	return t.forward[i]
}

// Counts are sums over transitions, in the places of [Transitions].
type Counts struct {
	layout Layout
	values []float64 // [Stride][columns] entries, then [2][Lanes] continuations
}

// NewCounts makes counts of zero.
func NewCounts(l Layout) *Counts {
	return &Counts{l, make([]float64, l.entries()+l.continuations())}
}

// Count adds n to the count of a transition. It panics if the transition is forbidden.
func (c *Counts) Count(from, to int, n float64) { c.values[c.place(from, to)] += n }

// At is the count of a transition. It panics if the transition is forbidden.
func (c *Counts) At(from, to int) float64 { return c.values[c.place(from, to)] }

func (c *Counts) place(from, to int) int {
	if !c.layout.allows(from, to) {
		panicForbidden(from, to)
	}
	i, continues := c.layout.arc(from, to)
	if continues {
		i += c.layout.entries()
	}
	return i
}

// Clear sets all counts to zero.
func (c *Counts) Clear() { clear(c.values) }

// Add adds the counts of other, which must have the same layout.
func (c *Counts) Add(other *Counts) { c.add(other.values) }

func (c *Counts) add(sums []float64) {
	values := c.values[:len(sums)]
	for i, v := range sums {
		values[i] += v
	}
}

// sparse is a compact form of the transitions of a free layout in which most stay 1,
// for fast products with M. Only transitions that BIO allows may vary: from anywhere
// into O and B, and the continuations. If only transitions from and into O vary, every
// result of a product is the same sum:
//
//	sum_i alpha[i] M[i][j] = sum_i alpha[i] + sum_i alpha[i] (M[i][j] - 1)
//
// Rows with other varying transitions, and columns for the product with beta, are
// listed. They are excluded from that sum and added one by one, because adding (M-1)
// alpha would cancel if M is small. The continuations are added as (M-1) alpha: they
// are seldom small.
type sparse[F Float] struct {
	layout      Layout
	fixed       []bool  // [Stride][Stride] by places, M that stays 1
	rows        listing // i where some M[i][j] varies for a j > 0 that can be entered from everywhere
	columns     listing // those j, and 0
	rowTable    []F     // [listAt][Stride], then [rows][Lanes]
	columnTable []F     // [listAt][Stride], then [columns][Stride]
}

// listing is a list of places, padded to a multiple of four with a place without a
// state.
type listing struct {
	places []int
	bytes  []int32 // byte offsets of these places in a row of float32
	index  []int   // by place, -1 if not listed
}

// The first rows of the tables; kernelgen uses the same order.
const (
	restAt  = iota // 1 for the states of the common sum
	ownAt          // the row or the column of O
	maskAt         // 1 for every state
	lanesAt        // M-1 of the continuations, at the places they come from
	listAt
)

// NewSparseTransitions returns transitions of weight 0; those that do not vary keep it.
// [Counts] may lack the expectations of these.
func NewSparseTransitions[F Float](l Layout, varies func(from, to int) bool) *Transitions[F] {
	t := NewTransitions[F](l)
	if !l.Free || l.Stride < 32 || !onlyBIO(l, varies) {
		return t
	}
	s := &sparse[F]{layout: l, fixed: make([]bool, l.entries())}
	rows, columns := make([]bool, l.Stride), make([]bool, l.Stride)
	rows[0], columns[0] = true, true
	for from := range l.States() {
		for to := range l.States() {
			i, j := l.Place(from), l.Place(to)
			s.fixed[i*l.Stride+j] = !varies(from, to)
			if to > 0 && to <= l.Labels && varies(from, to) {
				rows[i] = true
				columns[j] = columns[j] || from > 0
			}
		}
	}
	s.rows, s.columns = newListing(l, rows), newListing(l, columns)
	s.rowTable = make([]F, listAt*l.Stride+len(s.rows.places)*l.Lanes)
	s.columnTable = make([]F, listAt*l.Stride+len(s.columns.places)*l.Stride)
	for from := range l.States() {
		s.setMask(l.Place(from), 1)
	}
	t.sparse = s
	for from := range l.States() {
		for to := range l.States() {
			s.put(l.Place(from), l.Place(to), 1)
		}
	}
	return t
}

// onlyBIO reports whether BIO allows all varying transitions.
func onlyBIO(l Layout, varies func(from, to int) bool) bool {
	l.Free = false
	for from := range l.States() {
		for to := range l.States() {
			if varies(from, to) && !l.allows(from, to) {
				return false
			}
		}
	}
	return true
}

func newListing(l Layout, listed []bool) listing {
	s := listing{index: make([]int, l.Stride)}
	for place, is := range listed {
		s.index[place] = -1
		if is {
			s.index[place] = len(s.places)
			s.places = append(s.places, place)
		}
	}
	for len(s.places)%4 != 0 {
		s.places = append(s.places, l.Lanes) // where I would continue O
	}
	for _, place := range s.places {
		s.bytes = append(s.bytes, int32(4*place))
	}
	return s
}

// setMask sets whether a place has a state.
func (s *sparse[F]) setMask(place int, mask F) {
	row, column := s.rowTable[place:], s.columnTable[place:]
	stride := s.layout.Stride
	row[maskAt*stride], column[maskAt*stride] = mask, mask
	if s.rows.index[place] < 0 {
		row[restAt*stride] = mask
	}
	if s.columns.index[place] < 0 {
		column[restAt*stride] = mask
	}
}

// put sets M[i][j], indexed by places.
func (s *sparse[F]) put(i, j int, value F) {
	stride, lanes := s.layout.Stride, s.layout.Lanes
	if i == 0 {
		s.columnTable[ownAt*stride+j] = value
	}
	if j == 0 {
		s.rowTable[ownAt*stride+i] = value
	}
	if j >= lanes {
		if i%lanes == j-lanes {
			less := value - s.rowTable[maskAt*stride+j]
			s.rowTable[lanesAt*stride+i], s.columnTable[lanesAt*stride+i] = less, less
		}
		return
	}
	if at := s.rows.index[i]; at >= 0 {
		s.rowTable[listAt*stride+at*lanes+j] = value
	}
	if at := s.columns.index[j]; at >= 0 {
		s.columnTable[listAt*stride+at*stride+i] = value
	}
}

// size is the number of sums that [sparse.count] adds up.
func (s *sparse[F]) size() int { return len(s.rows.places)*s.layout.Lanes + 2*s.layout.Stride }

// intoO are the sums of the transitions into O.
func (s *sparse[F]) intoO(sums []float64) []float64 {
	return sums[len(s.rows.places)*s.layout.Lanes:][:s.layout.Stride]
}

// count adds the sums of the listed rows, into O and of the continuations to counts.
func (s *sparse[F]) count(sums []float64, counts *Counts) {
	stride, lanes := s.layout.Stride, s.layout.Lanes
	for _, i := range s.rows.places {
		row := counts.values[i*stride : i*stride+lanes]
		for j := 1; j < lanes; j++ {
			row[j] += sums[j]
		}
		sums = sums[lanes:]
	}
	for i := range stride {
		counts.values[i*stride] += sums[i]
		counts.values[i*stride+lanes+i%lanes] += sums[stride+i]
	}
}
