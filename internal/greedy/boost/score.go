// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"math/bits"
	"slices"
)

// Model is a sum of trees. It is immutable and safe for concurrent use.
type Model struct {
	columns int
	base    float64
	trees   []Tree
	scorer  scorer
}

// Numbers is how many numbers training set: the base, and thresholds and values of trees.
func (m *Model) Numbers() int {
	n := 1
	for _, t := range m.trees {
		n += len(t.Nodes) + len(t.Values)
	}
	return n
}

// newModel makes trees ready to score.
func newModel(columns int, base float64, trees []Tree) *Model {
	return &Model{columns, base, trees, newScorer(trees)}
}

// Columns is how many columns the model reads.
func (m *Model) Columns() int { return m.columns }

// Trees is how many trees there are.
func (m *Model) Trees() int { return len(m.trees) }

// Rescaled is the model whose log-odds are slope times those of m, plus shift: what
// m's are worth where that was measured.
func (m *Model) Rescaled(slope, shift float64) *Model {
	trees := make([]Tree, len(m.trees))
	for i, t := range m.trees {
		values := make([]float64, len(t.Values))
		for k, v := range t.Values {
			values[k] = slope * v
		}
		trees[i] = Tree{t.Nodes, values}
	}
	return newModel(m.columns, slope*m.base+shift, trees)
}

// LogOdds is the log-odds of each row being of the kind that is true. It panics
// when x has not as many columns as the model was trained on.
func (m *Model) LogOdds(x Matrix) []float64 {
	if len(x) != m.columns {
		panic("boost: another number of columns")
	}
	out := make([]float64, x.Rows())
	for r := range out {
		out[r] = m.base
	}
	m.scorer.add(x, out)
	return out
}

// scorer adds what the trees say of each row to a sum, in the order of the trees.
type scorer interface {
	add(x Matrix, sums []float64)
}

func newScorer(trees []Tree) scorer {
	for _, t := range trees {
		if len(t.Values) > setLeaves {
			return walker(trees)
		}
	}
	return newLeafSets(trees)
}

// walker goes from the root of each tree to a leaf: for trees with many leaves.
type walker []Tree

// walkRows is how many rows are scored together: their part of all columns stays in the
// cache.
const walkRows = 512

func (w walker) add(x Matrix, sums []float64) {
	for from := 0; from < len(sums); from += walkRows {
		part := sums[from:min(from+walkRows, len(sums))]
		for t := range w {
			for i := range part {
				part[i] += w[t].Values[w[t].leafOf(x, from+i)]
			}
		}
	}
}

// leafSets scores without walking (QuickScorer: Lucchese and others, SIGIR 2015). Each row
// has a set of possible leaves for each tree, a bit for each leaf from left to right. A node
// that sends a row right removes the leaves on its left. The first leaf that remains is the
// row's.
type leafSets struct {
	columns []columnCuts
	values  []float64 // setLeaves for each tree, from left to right
}

const (
	setLeaves = 8  // of a tree, at most: the bits of a byte
	setRows   = 32 // that are scored together
)

// rowSet has the set of each of some rows.
type rowSet [setRows]uint8

// columnCuts are the nodes that look at a column, in order of their thresholds.
type columnCuts struct {
	column int
	cuts   []cut
}

// cut is a node: the leaves of a tree that a value above the threshold removes. The
// assembly knows its layout.
type cut struct {
	threshold float32
	tree      uint32
	removed   uint32 // a byte
}

func newLeafSets(trees []Tree) *leafSets {
	s := &leafSets{values: make([]float64, setLeaves*len(trees))}
	cuts := map[int][]cut{} // by column
	for t := range trees {
		place := 0
		s.number(&trees[t], t, 0, &place, cuts)
	}
	for _, column := range slices.Sorted(maps.Keys(cuts)) {
		of := cuts[column]
		slices.SortStableFunc(of, func(a, b cut) int { return cmp.Compare(a.threshold, b.threshold) })
		s.columns = append(s.columns, columnCuts{column, of})
	}
	return s
}

// number gives places to the leaves below a child of tree t, from left to right, and
// collects the nodes.
func (s *leafSets) number(tree *Tree, t, child int, place *int, cuts map[int][]cut) {
	if len(tree.Nodes) == 0 {
		child = ^0 // the only value
	}
	if child < 0 {
		s.values[t*setLeaves+*place] = tree.Values[^child]
		*place++
		return
	}
	n, first := &tree.Nodes[child], *place
	s.number(tree, t, n.Left, place, cuts)
	left := uint32(1)<<*place - uint32(1)<<first
	cuts[n.Column] = append(cuts[n.Column], cut{n.Threshold, uint32(t), left})
	s.number(tree, t, n.Right, place, cuts)
}

func (s *leafSets) add(x Matrix, sums []float64) {
	sets := make([]rowSet, len(s.values)/setLeaves)
	var all rowSet
	for r := range all {
		all[r] = math.MaxUint8
	}
	for from := 0; from < len(sums); from += setRows {
		for t := range sets {
			sets[t] = all
		}
		to := min(from+setRows, len(sums))
		for _, c := range s.columns {
			var values [setRows]float32
			column := x[c.column][from:to]
			if len(column) < setRows {
				copy(values[:], column)
				column = values[:]
			}
			remove((*[setRows]float32)(column), c.cuts, sets)
		}
		s.sum(sums[from:to], sets)
	}
}

// removePlain removes leaves from the sets of rows, given their values in a column.
func removePlain(column *[setRows]float32, cuts []cut, sets []rowSet) {
	for r, v := range column {
		for i := range cuts {
			c := &cuts[i]
			if !(v > c.threshold) {
				break
			}
			sets[c.tree][r] &^= uint8(c.removed)
		}
	}
}

// sum adds the values of the first leaves of the sets, in the order of the trees.
func (s *leafSets) sum(sums []float64, sets []rowSet) {
	for from := 0; from < len(sums); from += 4 {
		var f [4]float64
		n := copy(f[:], sums[from:])
		a, b, c, d := f[0], f[1], f[2], f[3]
		for t := range sets {
			values, of := (*[setLeaves]float64)(s.values[t*setLeaves:]), binary.LittleEndian.Uint32(sets[t][from%setRows:])
			a += values[bits.TrailingZeros32(of)%setLeaves]
			b += values[bits.TrailingZeros32(of>>8)%setLeaves]
			c += values[bits.TrailingZeros32(of>>16)%setLeaves]
			d += values[bits.TrailingZeros32(of>>24)%setLeaves]
		}
		f = [4]float64{a, b, c, d}
		copy(sums[from:from+n], f[:])
	}
}
