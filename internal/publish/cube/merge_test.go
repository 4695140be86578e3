// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"math"
	"math/rand/v2"
	"testing"
)

// split is a part over a line of cells, with halves or a count.
func split(lo, hi int, halves ...*part) *part {
	p := &part{block: block{[]int{lo}, []int{hi}}}
	if len(halves) == 2 {
		p.halves = [2]*part{halves[0], halves[1]}
	}
	return p
}

func counted(lo, hi int, total float64) *part {
	p := split(lo, hi)
	p.total, p.vari, p.draws = total, 50, 1
	return p
}

func TestHalvesThatDifferByNoiseAloneArePutTogether(t *testing.T) {
	root := split(0, 8, split(0, 4, counted(0, 2, 100), counted(2, 4, 104)), counted(4, 8, 900))
	root.merge(2)
	leaves := root.leaves(nil)
	if len(leaves) != 2 || leaves[0].total != 204 || leaves[0].vari != 100 || leaves[0].draws != 2 || leaves[1].total != 900 {
		t.Errorf("%+v", leaves)
	}
	// a split above one that stays does, too
	root = split(0, 8, split(0, 4, counted(0, 1, 400), counted(1, 4, 0)), counted(4, 8, 400))
	root.merge(2)
	if n := len(root.leaves(nil)); n != 3 {
		t.Errorf("%d blocks", n)
	}
}

// TestMergingKeepsTheSumAndTheCells is about any tree of splits.
func TestMergingKeepsTheSumAndTheCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var grow func(lo, hi int) *part
	grow = func(lo, hi int) *part {
		if hi-lo == 1 || rng.IntN(4) == 0 {
			return counted(lo, hi, math.Round(rng.NormFloat64()*20))
		}
		at := lo + 1 + rng.IntN(hi-lo-1)
		return split(lo, hi, grow(lo, at), grow(at, hi))
	}
	for range 200 {
		root := grow(0, 20)
		sum, draws := 0.0, 0
		for _, l := range root.leaves(nil) {
			sum, draws = sum+l.total, draws+l.draws
		}
		root.merge(1 + 2*rng.Float64())
		next := 0
		for _, l := range root.leaves(nil) {
			sum, draws = sum-l.total, draws-l.draws
			if l.lo[0] != next || l.vari != 50*float64(l.draws) {
				t.Fatalf("%+v does not begin at %d, or has other noise", l, next)
			}
			next = l.hi[0]
		}
		if next != 20 || math.Abs(sum) > 1e-9 || draws != 0 {
			t.Fatalf("%d cells, %v lost, %d counts lost", next, sum, draws)
		}
	}
}

// TestSplitsThatNoiseChoseAreTakenBack is about a small table and much noise: most
// splits follow that of the first phase, which the second does not repeat.
func TestSplitsThatNoiseChoseAreTakenBack(t *testing.T) {
	c := some(t, 40)
	blocks, drawn := 0, 0
	for i := range uint64(20) {
		r := publish(t, c, Params{Method: DPCube, Epsilon: 100_000, Threshold: 0.5}, seed(i))
		draws := 0
		for _, b := range r.Blocks {
			draws += b.Draws
		}
		if draws != r.Phases[1].Counts {
			t.Errorf("blocks of %d counts, %d drawn", draws, r.Phases[1].Counts)
		}
		blocks, drawn = blocks+len(r.Blocks), drawn+draws
	}
	if blocks > drawn*3/4 {
		t.Errorf("%d blocks of %d counts", blocks, drawn)
	}
}
