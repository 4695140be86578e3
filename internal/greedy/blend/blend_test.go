// SPDX-License-Identifier: Apache-2.0

package blend_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/greedy"
	"hide/internal/greedy/blend"
)

// opinions are log-odds of learners about tokens, and what these are: sensitive with the
// probability that a blend with weights w has.
func opinions(r *rand.Rand, tokens int, w blend.Weights) (said [][]float64, y []bool) {
	said = make([][]float64, len(w)-1)
	for x := range tokens {
		for k := range said {
			said[k] = append(said[k], 3*r.NormFloat64())
		}
		y = append(y, r.Float64() < greedy.Logistic(w.LogOdds(said, x)))
	}
	return said, y
}

func TestABlendFindsTheWeightsThatMadeTheData(t *testing.T) {
	want := blend.Weights{0.9, 0.3, 0, -1}
	said, y := opinions(rand.New(rand.NewPCG(1, 1)), 20000, want)
	for _, first := range []blend.Weights{blend.Mean(3), blend.Alone(3)} {
		for k, w := range blend.Fit(said, y, first) {
			if math.Abs(w-want[k]) > 0.08 {
				t.Errorf("weight %d is %.3f, want %.1f", k, w, want[k])
			}
		}
	}
}

// loss is that of the doc comment of Fit.
func loss(said [][]float64, y []bool, first, w blend.Weights) float64 {
	sum := 0.0
	for k := range said {
		sum += (w[k] - first[k]) * (w[k] - first[k]) / 2
	}
	for r := range y {
		p := greedy.Logistic(w.LogOdds(said, r))
		if !y[r] {
			p = 1 - p
		}
		sum -= math.Log(p)
	}
	return sum
}

// TestABlendIsALeastOfItsLoss tries steps each way.
func TestABlendIsALeastOfItsLoss(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		said, y := opinions(r, 20+r.IntN(200), blend.Weights{r.Float64(), r.Float64(), r.NormFloat64()})
		y[0], y[1] = true, false
		first := []blend.Weights{blend.Mean(2), blend.Alone(2)}[seed%2]
		kept := slices.Clone(first)
		w := blend.Fit(said, y, first)
		least := loss(said, y, first, w)
		for k := range w {
			for _, step := range []float64{-0.01, 0.01} {
				other := slices.Clone(w)
				other[k] += step
				if l := loss(said, y, first, other); l < least-1e-6 {
					t.Fatalf("seed %d: loss %g with weight %d moved by %g, %g without", seed, l, k, step, least)
				}
			}
		}
		if !slices.Equal(first, kept) {
			t.Fatal("Fit changed the weights it starts from")
		}
	}
}

// TestAFewTokensBlendNearTheFirstWeights has learners that agree to the bit.
func TestAFewTokensBlendNearTheFirstWeights(t *testing.T) {
	said, y := [][]float64{{1, -1, 0.5}, {1, -1, 0.5}}, []bool{true, false, true}
	if w := blend.Fit(said, y, blend.Mean(2)); math.Abs(w[0]-w[1]) > 1e-6 || w[0] < 0.4 || w[0] > 1.2 {
		t.Errorf("from the mean: weights %v", w)
	}
	if w := blend.Fit(said, y, blend.Alone(2)); math.Abs(w[0]-w[1]-1) > 1e-6 || w[0] < 0.9 || w[0] > 1.7 {
		t.Errorf("from the first learner alone: weights %v", w)
	}
}

func TestWithoutTokensTheFirstWeightsStay(t *testing.T) {
	if w := blend.Fit([][]float64{nil, nil}, nil, blend.Alone(2)); !slices.Equal(w, blend.Alone(2)) {
		t.Errorf("weights %v", w)
	}
}
