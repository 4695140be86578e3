// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"context"
	"slices"

	"hide/internal/parallel"
)

// split is where a leaf is divided best: rows whose bin is not above bin go left.
type split struct {
	gain        float64 // 0 for none
	column, bin int
	left        sums
}

// leaf is a leaf of the tree that grows.
type leaf struct {
	rows   []int32 // in increasing order
	sum    sums
	hists  []histogram // by bundle; nil when it will not be split
	best   split
	parent int // node, -1 for the root
	right  bool
}

// grower grows trees over one table.
type grower struct {
	x               *binned
	workers, leaves int
	l2, least       float64
	q               gradients
	rows, moved     []int32
	ordered         []int64 // packed of the rows whose histogram is made
	spare           [][]histogram
	found           []split // by column
}

func newGrower(x *binned, workers, leaves int, l2, least float64) *grower {
	return &grower{x: x, workers: workers, leaves: leaves, l2: l2, least: least,
		q: gradients{packed: make([]int64, x.rows)}, rows: make([]int32, x.rows), moved: make([]int32, x.rows),
		ordered: make([]int64, x.rows), found: make([]split, len(x.cuts))}
}

// grow makes a tree for the derivatives of all rows. It returns the rows of each
// of its leaves, which are good until the next call; values are all 0.
func (t *grower) grow(ctx context.Context, g, h []float64) (Tree, [][]int32, error) {
	t.q.round(g, h)
	root := &leaf{rows: t.rows, parent: -1}
	for r := range t.rows {
		t.rows[r] = int32(r)
		s := unpack(t.q.packed[r])
		root.sum.g += s.g
		root.sum.h += s.h
	}
	tree, leaves := Tree{}, []*leaf{root}
	if err := t.look(ctx, root, nil); err != nil {
		return Tree{}, nil, err
	}
	for len(leaves) < t.leaves {
		i := mostGaining(leaves)
		if leaves[i].best.gain <= 0 {
			break
		}
		left, right := t.divide(&tree, leaves[i])
		if len(leaves)+1 < t.leaves {
			if err := t.lookAtBoth(ctx, leaves[i], left, right); err != nil {
				return Tree{}, nil, err
			}
		} else {
			t.spare = append(t.spare, leaves[i].hists)
		}
		leaves[i] = left
		leaves = append(leaves, right)
	}
	return tree, t.finish(&tree, leaves), nil
}

// mostGaining is the leaf with the best split, the first of equals.
func mostGaining(leaves []*leaf) int {
	best := 0
	for i, l := range leaves {
		if l.best.gain > leaves[best].best.gain {
			best = i
		}
	}
	return best
}

// divide makes a node of a leaf, and two leaves of its rows.
func (t *grower) divide(tree *Tree, l *leaf) (left, right *leaf) {
	node := len(tree.Nodes)
	tree.Nodes = append(tree.Nodes, Node{Column: l.best.column, Threshold: t.x.cuts[l.best.column][l.best.bin]})
	tree.attach(l, node)
	n := t.part(l)
	left = &leaf{rows: l.rows[:n], sum: l.best.left, parent: node}
	right = &leaf{rows: l.rows[n:], sum: l.sum.minus(l.best.left), parent: node, right: true}
	return left, right
}

// part puts the rows that go left before the others, both in order, and says how many
// go left. What goes where is looked up and added, not branched on: which way a row
// goes cannot be guessed.
func (t *grower) part(l *leaf) (left int) {
	digit := t.x.digits[l.best.column]
	var goesLeft [maxBins]uint8
	for number := range goesLeft {
		if digit.of(number) <= l.best.bin {
			goesLeft[number] = 1
		}
	}
	block, place := t.x.blocks[digit.bundle/blockBundles], 8*(digit.bundle%blockBundles)
	moved := t.moved[:len(l.rows)]
	for i, r := range l.rows {
		l.rows[left], moved[i-left] = r, r
		left += int(goesLeft[uint8(block[r]>>place)])
	}
	copy(l.rows[left:], moved)
	return left
}

// lookAtBoth makes the histograms of the smaller of two leaves from its rows, and
// those of the larger from their parent's.
func (t *grower) lookAtBoth(ctx context.Context, parent, left, right *leaf) error {
	small, large := left, right
	if len(right.rows) < len(left.rows) {
		small, large = right, left
	}
	if err := t.look(ctx, small, nil); err != nil {
		return err
	}
	large.hists = parent.hists
	return t.look(ctx, large, small.hists)
}

// look finds the best split of a leaf. Its histograms are summed from its rows or, given
// its sibling's, are the parent's minus the sibling's.
func (t *grower) look(ctx context.Context, l *leaf, sibling []histogram) error {
	if sibling == nil {
		l.hists = t.room()
		for i, r := range l.rows {
			t.ordered[i] = t.q.packed[r]
		}
	}
	err := parallel.Do(ctx, t.workers, len(t.x.blocks), func(_, block int) {
		from, to := t.x.inBlock(block)
		bundles := t.x.bundles[from:to]
		if sibling == nil {
			sumBlock(l.hists[from:to], t.x.blocks[block], l.rows, t.ordered[:len(l.rows)], bundles)
		}
		for i := range bundles {
			hist := &l.hists[from+i]
			if sibling != nil {
				hist.subtract(&sibling[from+i], bundles[i].size)
			}
			bundles[i].marginals(hist, func(c int, hist []sums) { t.found[c] = t.bestOf(hist, c, l.sum) })
		}
	})
	l.best = split{}
	for _, s := range t.found {
		if s.gain > l.best.gain {
			l.best = s
		}
	}
	return err
}

// room gives histograms to write into.
func (t *grower) room() []histogram {
	if n := len(t.spare); n > 0 {
		hists := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return hists
	}
	return make([]histogram, len(t.x.bundles))
}

// bestOf is a column's best split, the first of equals.
func (t *grower) bestOf(hist []sums, column int, sum sums) split {
	best, left := split{}, sums{}
	whole := t.worth(sum)
	for b, s := range hist[:len(hist)-1] {
		left = left.plus(s)
		right := sum.minus(left)
		if float64(left.h)*t.q.h < t.least || float64(right.h)*t.q.h < t.least || left.h == 0 || right.h == 0 {
			continue
		}
		if gain := t.worth(left) + t.worth(right) - whole; gain > best.gain {
			best = split{gain, column, b, left}
		}
	}
	return best
}

// worth is G^2/(H + L2).
func (t *grower) worth(s sums) float64 {
	g, h := float64(s.g)*t.q.g, float64(s.h)*t.q.h
	if h+t.l2 <= 0 {
		return 0
	}
	return g * g / (h + t.l2)
}

// finish numbers the leaves in the order of the list and keeps their histograms'
// room for the next tree.
func (t *grower) finish(tree *Tree, leaves []*leaf) [][]int32 {
	tree.Values = make([]float64, len(leaves))
	rows := make([][]int32, len(leaves))
	for i, l := range leaves {
		rows[i] = l.rows
		tree.attach(l, ^i)
		if l.hists != nil {
			t.spare = append(t.spare, l.hists)
		}
	}
	return slices.Clip(rows)
}

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
