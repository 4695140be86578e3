// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// grownAtRandom grows a tree by dividing a random leaf, as grower does with the best.
func grownAtRandom(r *rand.Rand, x Matrix, leaves int) Tree {
	tree, open := Tree{}, []*leaf{{parent: -1}}
	for len(open) < leaves {
		i, c := r.IntN(len(open)), r.IntN(len(x))
		threshold := float32(r.NormFloat64())
		if v := x[c][r.IntN(x.Rows())]; v == v && r.IntN(2) == 0 {
			threshold = v
		}
		node := len(tree.Nodes)
		tree.Nodes = append(tree.Nodes, Node{Column: c, Threshold: threshold})
		tree.attach(open[i], node)
		open[i] = &leaf{parent: node}
		open = append(open, &leaf{parent: node, right: true})
	}
	for i, l := range open {
		tree.attach(l, ^i)
		tree.Values = append(tree.Values, r.NormFloat64())
	}
	return tree
}

// TestScoresAreThoseOfWalkingEachTree: in every bit, whatever the trees, values and number
// of rows, and however often a column is cut at the same place.
func TestScoresAreThoseOfWalkingEachTree(t *testing.T) {
	for seed := range uint64(300) {
		x, r := mixed(seed)
		rows := r.IntN(min(100, x.Rows())) + 1
		zero := float32(math.Copysign(0, -1))
		for c := range x {
			x[c] = x[c][:rows]
			x[c][r.IntN(rows)] = zero
		}
		most := []int{1, 2, 8, setLeaves, setLeaves, 30}[r.IntN(6)]
		trees := make([]Tree, r.IntN(40))
		for i := range trees {
			trees[i] = grownAtRandom(r, x, 1+r.IntN(most))
		}
		m := newModel(len(x), r.NormFloat64(), trees)
		for row, got := range m.LogOdds(x) {
			want := m.base
			for i := range trees {
				want += trees[i].Values[trees[i].leafOf(x, row)]
			}
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("seed %d, row %d: %g, by walking %g", seed, row, got, want)
			}
		}
		if back, err := Decode(m.Append(nil)); err != nil || !reflect.DeepEqual(back.LogOdds(x), m.LogOdds(x)) {
			t.Fatalf("seed %d: it scores otherwise after reading it back: %v", seed, err)
		}
		empty := make(Matrix, len(x))
		if got := m.LogOdds(empty); len(got) != 0 {
			t.Fatalf("%d scores of no rows", len(got))
		}
	}
}

// TestAssemblyRemovesWhatGoDoes compares the sets of rows, with values that are equal to
// thresholds, NaN, infinite and -0.
func TestAssemblyRemovesWhatGoDoes(t *testing.T) {
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 0, math.MaxFloat32, math.SmallestNonzeroFloat32}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		value := func() float32 {
			if r.IntN(3) == 0 {
				return odd[r.IntN(len(odd))]
			}
			return float32(r.IntN(9) - 4)
		}
		var column [setRows]float32
		for i := range column {
			column[i] = value()
		}
		cuts, sets := make([]cut, 1+r.IntN(20)), make([]rowSet, 1+r.IntN(5))
		for i := range cuts {
			cuts[i] = cut{value(), uint32(r.IntN(len(sets))), uint32(r.IntN(256))}
			if cuts[i].threshold != cuts[i].threshold {
				cuts[i].threshold = 1 // a model has no such threshold
			}
		}
		slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.threshold, b.threshold) })
		for i := range sets {
			for row := range sets[i] {
				sets[i][row] = uint8(r.IntN(256))
			}
		}
		want := slices.Clone(sets)
		removePlain(&column, cuts, want)
		if remove(&column, cuts, sets); !slices.Equal(sets, want) {
			t.Fatalf("seed %d: %v, want %v", seed, sets, want)
		}
	}
}
