// SPDX-License-Identifier: Apache-2.0

package boost

// Tree is a decision tree. A tree without nodes has one value.
type Tree struct {
	Nodes  []Node
	Values []float64 // of the leaves
}

// Node sends a row right when its value is above the threshold. Left and Right
// are nodes of greater numbers, or ^i for the i-th leaf.
type Node struct {
	Column      int
	Threshold   float32
	Left, Right int
}

func (t *Tree) attach(l *leaf, to int) {
	switch {
	case l.parent < 0:
	case l.right:
		t.Nodes[l.parent].Right = to
	default:
		t.Nodes[l.parent].Left = to
	}
}

// leafOf is the leaf that a row of x falls into.
func (t *Tree) leafOf(x Matrix, row int) int {
	at := 0
	if len(t.Nodes) == 0 {
		return 0
	}
	for at >= 0 {
		n := &t.Nodes[at]
		if x[n.Column][row] > n.Threshold {
			at = n.Right
		} else {
			at = n.Left
		}
	}
	return ^at
}

// Model is a sum of trees. It is immutable and safe for concurrent use.
type Model struct {
	columns int
	base    float64
	trees   []Tree
}

// Columns is how many columns the model reads.
func (m *Model) Columns() int { return m.columns }

// Trees is how many trees there are.
func (m *Model) Trees() int { return len(m.trees) }

// Rescaled is the model whose log-odds are slope times those of m, plus shift: what
// m's are worth where that was measured.
func (m *Model) Rescaled(slope, shift float64) *Model {
	out := &Model{columns: m.columns, base: slope*m.base + shift, trees: make([]Tree, len(m.trees))}
	for i, t := range m.trees {
		values := make([]float64, len(t.Values))
		for k, v := range t.Values {
			values[k] = slope * v
		}
		out.trees[i] = Tree{t.Nodes, values}
	}
	return out
}

// scoreRows is how many rows are scored together: their part of all columns
// stays in the cache.
const scoreRows = 512

// LogOdds is the log-odds of each row being of the kind that is true. It panics
// when x has not as many columns as the model was trained on.
func (m *Model) LogOdds(x Matrix) []float64 {
	if len(x) != m.columns {
		panic("boost: another number of columns")
	}
	out := make([]float64, x.Rows())
	for from := 0; from < len(out); from += scoreRows {
		part := out[from:min(from+scoreRows, len(out))]
		for i := range part {
			part[i] = m.base
		}
		for t := range m.trees {
			tree := &m.trees[t]
			for i := range part {
				part[i] += tree.Values[tree.leafOf(x, from+i)]
			}
		}
	}
	return out
}
