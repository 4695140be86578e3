// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestShareEstimateHoldsItsShare(t *testing.T) {
	part, whole := []float64{1, 0, 7, 2, 3, 0}, []float64{4, 2, 7, 2, 5, 0}
	e, ok := ShareEstimate(part, whole, 1)
	if !ok || e.Value != 13.0/20 || e.Low < 0 || !(e.Low < e.Value && e.Value < e.High) || e.High > 1 {
		t.Errorf("%+v, ok %v", e, ok)
	}
	if again, _ := ShareEstimate(part, whole, 1); again != e {
		t.Errorf("the same seed gives %+v and %+v", e, again)
	}
	if other, _ := ShareEstimate(part[:5], whole[:5], 1); other != e {
		t.Errorf("an empty group turns %+v into %+v", other, e)
	}
}

func TestShareWithoutAWholeIsNoShare(t *testing.T) {
	for _, c := range [][2][]float64{{nil, nil}, {{0, 0}, {0, 0}}, {{1}, {1, 2}}, {{1, 2}, {1}}} {
		if e, ok := ShareEstimate(c[0], c[1], 1); ok || e != (Estimate{}) {
			t.Errorf("%v of %v: %+v, %v", c[0], c[1], e, ok)
		}
	}
}

// TestShareOfOneIsNotCertain: no miss in 20 groups leaves 3.69 groups possible that
// have misses, however many things each has.
func TestShareOfOneIsNotCertain(t *testing.T) {
	all, none := make([]float64, 20), make([]float64, 20)
	for g := range all {
		all[g] = 10
	}
	bound := -math.Log(0.025) / 20
	if e, ok := ShareEstimate(all, all, 1); !ok || e.Value != 1 || e.High != 1 || math.Abs(e.Low-(1-bound)) > 1e-12 {
		t.Errorf("without a miss: %+v", e)
	}
	if e, ok := ShareEstimate(none, all, 1); !ok || e.Value != 0 || e.Low != 0 || math.Abs(e.High-bound) > 1e-12 {
		t.Errorf("without a hit: %+v", e)
	}
	if e, _ := ShareEstimate([]float64{2}, []float64{2}, 1); e.Low != 0 || e.High != 1 {
		t.Errorf("two of two: %+v", e)
	}
	if e, _ := ShareEstimate([]float64{0}, []float64{2}, 1); e.Low != 0 || e.High != 1 {
		t.Errorf("none of two: %+v", e)
	}
}

// TestShareEstimateCoversTheTruth draws groups that differ in their share and
// counts how often the interval holds the share of the source.
func TestShareEstimateCoversTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	const trials, groups = 200, 40
	held := 0
	for trial := range uint64(trials) {
		part, whole := make([]float64, groups), make([]float64, groups)
		for g := range groups {
			p := 0.6 + 0.4*random.Float64() // 0.8 on average
			for range 10 {
				whole[g]++
				if random.Float64() < p {
					part[g]++
				}
			}
		}
		if e, _ := ShareEstimate(part, whole, trial); e.Low <= 0.8 && 0.8 <= e.High {
			held++
		}
	}
	if held < 176 || held == trials {
		t.Errorf("the interval held the truth in %d of %d trials", held, trials)
	}
}

// clumpedTrials counts the trials, in which groups of ten are missed whole, that hold.
func clumpedTrials(random *rand.Rand, trials, groups int, missed float64, holds func(Estimate) bool) int {
	held := 0
	draws := severalResamplers(groups, false)
	for trial := range trials {
		part, whole := make([]float64, groups), make([]float64, groups)
		for g := range groups {
			if whole[g] = 10; random.Float64() >= missed {
				part[g] = 10
			}
		}
		if holds(draws[trial%len(draws)].share(part, whole)) {
			held++
		}
	}
	return held
}

// Misses clump: the bound has to hold where whole groups are missed.
func TestShareOfOneCoversClumpedMisses(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 5))
	const trials, groups, missed = 1000, 40, 0.05
	held := clumpedTrials(random, trials, groups, missed, func(e Estimate) bool { return e.Low <= 1-missed && 1-missed <= e.High })
	if held < trials*90/100 {
		t.Errorf("the interval held the truth in %d of %d trials", held, trials)
	}
}

// TestFewMissedGroupsAreBoundedAsPoissonCountsAre: with k of 50 groups of one size
// missed, up to the exact upper bound of a Poisson count of k may be (Garwood, 1936).
func TestFewMissedGroupsAreBoundedAsPoissonCountsAre(t *testing.T) {
	for k, want := range map[int]float64{1: 5.572, 2: 7.225, 3: 8.767, 5: 11.668} {
		part, whole := make([]float64, 50), make([]float64, 50)
		for g := range whole {
			if whole[g] = 4; g >= k {
				part[g] = 4
			}
		}
		e, ok := ShareEstimate(part, whole, 1)
		if !ok || math.Abs(50*(1-e.Low)-want) > 1e-3 || e.Value != 1-float64(k)/50 {
			t.Errorf("%d groups missed: %+v, want up to %v of 50", k, e, want)
		}
	}
}

// TestFewMissedGroupsAreCovered draws whole groups that are missed: the interval has to
// begin below the truth in 97.5 of 100 trials, which resampling alone does in 92.
func TestFewMissedGroupsAreCovered(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 5))
	const trials, groups, missed = 1000, 40, 0.1
	held := clumpedTrials(random, trials, groups, missed, func(e Estimate) bool { return e.Low <= 1-missed })
	if held < trials*965/1000 {
		t.Errorf("it begins below the truth in %d of %d trials", held, trials)
	}
}

// TestMoreMissesNeverRaiseTheBeginning takes one thing after the other away, from
// groups of one size and of several, and all of a group at once.
func TestMoreMissesNeverRaiseTheBeginning(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 5))
	for trial := range 12 {
		n := 1 + random.IntN(20)
		part, whole := make([]float64, n), make([]float64, n)
		for g := range n {
			whole[g] = 100
			if trial%2 == 1 {
				whole[g] = float64(1 + random.IntN(100))
			}
			part[g] = whole[g]
		}
		before, _ := ShareEstimate(part, whole, 3)
		for range 12 {
			g := random.IntN(n)
			part[g] = max(0, part[g]-float64(1+random.IntN(2)*100))
			after, _ := ShareEstimate(part, whole, 3)
			if after.Low > before.Low || after.High > before.High {
				t.Fatalf("%d groups: %+v becomes %+v with more misses", n, before, after)
			}
			before = after
		}
	}
}
