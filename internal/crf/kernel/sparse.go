// SPDX-License-Identifier: Apache-2.0

package kernel

// sparse are the transitions of a free layout most of which are 1 for good, in the
// forms that make products with M short. All that vary are those of BIO: from
// anywhere into O and B, and the continuations. Where only those of O, and into O,
// vary, every result of a product is the same sum:
//
//	sum_i alpha[i] M[i][j] = sum_i alpha[i] + sum_i alpha[i] (M[i][j] - 1)
//
// Rows of which others vary, and for the product with beta columns, are listed. They
// are left out of that sum and added one by one, since to add (M-1) alpha to it would
// cancel where M is small. The continuations are added so: they are seldom small.
type sparse[F Float] struct {
	layout      Layout
	fixed       []bool  // [Stride][Stride] by places, what stays 1
	rows        listing // i of which some M[i][j] vary for a j > 0 that is entered from everywhere
	columns     listing // these j, and 0
	rowTable    []F     // [listAt][Stride], then [rows][Lanes]
	columnTable []F     // [listAt][Stride], then [columns][Stride]
}

// listing are some places, up to a multiple of four with one that no state has.
type listing struct {
	places []int
	bytes  []int32 // where these places are in a row of float32
	index  []int   // by place, -1 for those that are not listed
}

// Rows that the tables begin with, as kernelgen has them.
const (
	restAt  = iota // what the sum for all is made of
	ownAt          // the row or the column of O
	maskAt         // 1 for every state
	lanesAt        // M-1 of the continuations, at the places they come from
	listAt
)

// NewSparseTransitions makes transitions of weight 0 of which those that do not vary
// keep it. [Counts] need not have the expectations of these.
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

// onlyBIO reports whether all that vary are transitions of BIO.
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

// setMask says whether there is a state at a place.
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

// put sets M[i][j], by places.
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

// size is how many sums [sparse.count] adds up.
func (s *sparse[F]) size() int { return len(s.rows.places)*s.layout.Lanes + 2*s.layout.Stride }

// intoO are the sums of the transitions into O.
func (s *sparse[F]) intoO(sums []float64) []float64 {
	return sums[len(s.rows.places)*s.layout.Lanes:][:s.layout.Stride]
}

// count adds sums of the listed rows, into O and of the continuations to counts.
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
