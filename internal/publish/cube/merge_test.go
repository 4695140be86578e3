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

// TestHalvesOfUnequalVolumeAreWeighed has 1 cell against 3: d = 3/4 n1 - 1/4 n2 has
// variance 50 (9/16 + 1/16), sd 5.59, where equal weights would say 5 or 7.07.
func TestHalvesOfUnequalVolumeAreWeighed(t *testing.T) {
	for _, c := range []struct {
		n1, n2 float64
		apart  bool
	}{{14, 0, false}, {16, 0, true}, {0, 42, false}, {0, 47, true}, {100, 300, false}} {
		root := split(0, 4, counted(0, 1, c.n1), counted(1, 4, c.n2))
		root.merge(2)
		if got := len(root.leaves(nil)) == 2; got != c.apart {
			t.Errorf("%v and %v: apart %v", c.n1, c.n2, got)
		}
	}
	// d = 3/4 n1 - 1/4 n2 when the halves' own noise differs, too
	root := split(0, 4, counted(0, 1, 25), counted(1, 4, 0))
	root.halves[0].vari, root.halves[1].vari = 160, 800
	root.merge(1.58) // sd sqrt(90 + 50) = 11.83; d = 18.75
	if len(root.leaves(nil)) != 2 {
		t.Error("merged within 1.58 sd, d is 1.585")
	}
	root = split(0, 4, counted(0, 1, 25), counted(1, 4, 0))
	root.halves[0].vari, root.halves[1].vari = 160, 800
	root.merge(1.59)
	if len(root.leaves(nil)) != 1 {
		t.Error("apart though d is 1.585 sd")
	}
}

// TestFusedBlocksSayHowFarTheyAreOff weighs a count of variance 30 with the sum of 3
// cells of variance 20 each: w = 60/90, and 1/(1/30 + 1/60) = 20 is the variance.
func TestFusedBlocksSayHowFarTheyAreOff(t *testing.T) {
	s := &splitter{cells: []int64{1, 2, 3, 100}, shape: []int{4}, step: []int{1}, variance: 20}
	p := counted(0, 3, 12)
	p.vari = 30
	b := s.fuse(p, true)
	if math.Abs(b.Count-10) > 1e-9 || math.Abs(b.SD-math.Sqrt(20)) > 1e-9 {
		t.Errorf("fused: %+v", b)
	}
	if b := s.fuse(p, false); b.Count != 12 || math.Abs(b.SD-math.Sqrt(30)) > 1e-9 {
		t.Errorf("not fused: %+v", b)
	}
}
