// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"cmp"
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
	most := 1
	for _, t := range trees {
		most = max(most, len(t.Values))
	}
	switch {
	case most <= 8:
		return newLeafSets[uint8](trees, 8)
	case most <= 64:
		return newLeafSets[uint64](trees, 64)
	}
	return walker(trees)
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
// has a set of possible leaves for each tree, a bit for each leaf from left to right. A
// node that sends the row right removes the leaves on its left. The first leaf that remains
// is the row's. The nodes of a column are in order of their thresholds: those that send a
// row right come first, and for most rows and columns there are few.
type leafSets[B uint8 | uint64] struct {
	columns []columnCuts
	cuts    []cut[B]
	values  []float64 // of leaves from left to right, width for each tree
	trees   int
	width   int
}

// columnCuts are the cuts of a column, from the one with the lowest threshold on.
type columnCuts struct{ column, from, to int }

// cut is a node: the leaves that remain when a value is above the threshold.
type cut[B uint8 | uint64] struct {
	threshold float32
	tree      int32
	remain    B
}

func newLeafSets[B uint8 | uint64](trees []Tree, width int) *leafSets[B] {
	s := &leafSets[B]{trees: len(trees), width: width, values: make([]float64, width*len(trees))}
	cuts := map[int][]cut[B]{} // by column
	for t := range trees {
		place := 0
		s.number(&trees[t], int32(t), 0, &place, cuts)
	}
	for c, of := range cuts {
		slices.SortStableFunc(of, func(a, b cut[B]) int { return cmp.Compare(a.threshold, b.threshold) })
		s.columns = append(s.columns, columnCuts{column: c})
	}
	slices.SortFunc(s.columns, func(a, b columnCuts) int { return cmp.Compare(a.column, b.column) })
	for i := range s.columns {
		c := &s.columns[i]
		c.from = len(s.cuts)
		s.cuts = append(s.cuts, cuts[c.column]...)
		c.to = len(s.cuts)
	}
	return s
}

// number gives places to the leaves below a child, or below the root of a tree with one
// value, from left to right, and collects the cuts.
func (s *leafSets[B]) number(tree *Tree, t int32, child int, place *int, cuts map[int][]cut[B]) {
	if child < 0 || len(tree.Nodes) == 0 {
		leaf := 0
		if child < 0 {
			leaf = ^child
		}
		s.values[int(t)*s.width+*place] = tree.Values[leaf]
		*place++
		return
	}
	n, first := &tree.Nodes[child], *place
	s.number(tree, t, n.Left, place, cuts)
	left := (B(1)<<(*place-first) - 1) << first
	cuts[n.Column] = append(cuts[n.Column], cut[B]{n.Threshold, t, ^left})
	s.number(tree, t, n.Right, place, cuts)
}

// setRows is how many rows are scored together.
const setRows = 16

func (s *leafSets[B]) add(x Matrix, sums []float64) {
	sets := make([]B, s.trees*setRows) // of row r and tree t at t*setRows+r
	for from := 0; from < len(sums); from += setRows {
		for i := range sets {
			sets[i] = ^B(0)
		}
		to := min(from+setRows, len(sums))
		for _, c := range s.columns {
			s.remove(x[c.column][from:to], s.cuts[c.from:c.to], sets)
		}
		s.sum(sums[from:to], sets)
	}
}

// remove removes leaves from the sets of some rows by the nodes of a column.
func (s *leafSets[B]) remove(column []float32, cuts []cut[B], sets []B) {
	lowest := cuts[0].threshold
	for r, v := range column {
		if !(v > lowest) {
			continue
		}
		for i := range cuts {
			c := &cuts[i]
			if !(v > c.threshold) {
				break
			}
			sets[int(c.tree)*setRows+r] &= c.remain
		}
	}
}

// sum adds the values of the first leaves of the sets.
func (s *leafSets[B]) sum(sums []float64, sets []B) {
	var all [setRows]float64
	copy(all[:], sums)
	for r := 0; r < len(sums); r += 4 {
		a, b, c, d := all[r], all[r+1], all[r+2], all[r+3]
		for t := range s.trees {
			values, set := s.values[t*s.width:], sets[t*setRows+r:][:4]
			a += values[bits.TrailingZeros64(uint64(set[0]))]
			b += values[bits.TrailingZeros64(uint64(set[1]))]
			c += values[bits.TrailingZeros64(uint64(set[2]))]
			d += values[bits.TrailingZeros64(uint64(set[3]))]
		}
		all[r], all[r+1], all[r+2], all[r+3] = a, b, c, d
	}
	copy(sums, all[:])
}
