// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"cmp"
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

// leafSets scores without walking, by the principle of QuickScorer (Lucchese and others,
// SIGIR 2015): each row has a set of possible leaves for each tree, a bit for each leaf from
// left to right. A node that sends a row right removes the leaves on its left. The first
// leaf that remains is the row's. Here the set of a row is a byte, and a word has the sets
// of eight rows: a node removes leaves of eight rows at once.
type leafSets struct {
	columns []columnCuts
	cuts    []cut
	values  []float64 // setLeaves for each tree, from left to right
	most    int       // cuts of a column
}

const (
	setLeaves = 8  // of a tree, at most: the bits of a byte
	setRows   = 32 // that are scored together
)

// rowSet has a byte for each of some rows.
type rowSet [setRows / 8]uint64

func byteOf(row int) (word, shift int) { return row / 8, row % 8 * 8 }

// columnCuts are the nodes that look at a column: cuts from an index on.
type columnCuts struct {
	column, from int
	thresholds   []float32 // in order, then infinity: one less than a power of two
}

// cut is a node: the leaves that remain when a value is above its threshold, repeated in
// each byte.
type cut struct {
	remain uint64
	tree   int
}

// node is a node before it has a place.
type node struct {
	threshold float32
	cut
}

func newLeafSets(trees []Tree) *leafSets {
	s := &leafSets{values: make([]float64, setLeaves*len(trees))}
	nodes := map[int][]node{} // by column
	for t := range trees {
		place := 0
		s.number(&trees[t], t, 0, &place, nodes)
	}
	for _, column := range slices.Sorted(maps.Keys(nodes)) {
		of := nodes[column]
		slices.SortStableFunc(of, func(a, b node) int { return cmp.Compare(a.threshold, b.threshold) })
		c := columnCuts{column: column, from: len(s.cuts)}
		for _, n := range of {
			c.thresholds, s.cuts = append(c.thresholds, n.threshold), append(s.cuts, n.cut)
		}
		for len(c.thresholds)&(len(c.thresholds)+1) != 0 {
			c.thresholds = append(c.thresholds, float32(math.Inf(1)))
		}
		s.columns, s.most = append(s.columns, c), max(s.most, len(of))
	}
	return s
}

// number gives places to the leaves below a child of tree t, from left to right, and
// collects the nodes.
func (s *leafSets) number(tree *Tree, t, child int, place *int, nodes map[int][]node) {
	if len(tree.Nodes) == 0 {
		child = ^0 // the only value
	}
	if child < 0 {
		s.values[t*setLeaves+*place] = tree.Values[^child]
		*place++
		return
	}
	n, first := &tree.Nodes[child], *place
	s.number(tree, t, n.Left, place, nodes)
	left := uint64(1)<<*place - uint64(1)<<first
	nodes[n.Column] = append(nodes[n.Column], node{n.Threshold, cut{^(left * everyByte), t}})
	s.number(tree, t, n.Right, place, nodes)
}

// everyByte repeats a byte that it multiplies.
const everyByte = 0x0101010101010101

func (s *leafSets) add(x Matrix, sums []float64) {
	sets, above := make([]rowSet, len(s.values)/setLeaves), make([]rowSet, s.most+1)
	for from := 0; from < len(sums); from += setRows {
		for t := range sets {
			for w := range sets[t] {
				sets[t][w] = math.MaxUint64
			}
		}
		to := min(from+setRows, len(sums))
		for i := range s.columns {
			c := &s.columns[i]
			remove(x[c.column][from:to], c.thresholds, s.cuts[c.from:], above, sets)
		}
		s.sum(sums[from:to], sets)
	}
}

// remove removes leaves from the sets of some rows by the nodes of a column. above has room
// for the rows that are above a number of thresholds, and is all zero before and after.
func remove(column, thresholds []float32, cuts []cut, above, sets []rowSet) {
	most := 0
	for r, v := range column {
		if !(v > thresholds[0]) {
			continue
		}
		n := countBelow(thresholds, v)
		word, shift := byteOf(r)
		above[n][word] |= 0xff << shift
		most = max(most, n)
	}
	var a, b, c, d uint64 // the rows above a threshold
	for n := most; n > 0; n-- {
		cut, more := &cuts[n-1], &above[n]
		a, b, c, d = a|more[0], b|more[1], c|more[2], d|more[3]
		set := &sets[cut.tree]
		set[0] &= cut.remain | ^a
		set[1] &= cut.remain | ^b
		set[2] &= cut.remain | ^c
		set[3] &= cut.remain | ^d
		*more = rowSet{}
	}
}

// countBelow is how many thresholds v is above: a search without a branch to guess.
func countBelow(thresholds []float32, v float32) int {
	at := 0
	for step := (len(thresholds) + 1) / 2; step > 0; step /= 2 {
		above := 0
		if v > thresholds[at+step-1] {
			above = 1
		}
		at += step * above
	}
	return at
}

// sum adds the values of the first leaves of the sets, in the order of the trees.
func (s *leafSets) sum(sums []float64, sets []rowSet) {
	for from := 0; from < len(sums); from += 8 {
		var f [8]float64
		n := copy(f[:], sums[from:])
		for t := range sets {
			values, set := (*[setLeaves]float64)(s.values[t*setLeaves:]), sets[t][from/8]
			for r := range f {
				f[r] += values[bits.TrailingZeros64(set>>(8*r))%setLeaves]
			}
		}
		copy(sums[from:from+n], f[:])
	}
}
