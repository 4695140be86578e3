// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"hide/internal/testsize"
)

func TestFitSigmoidBeatsEveryPointOfAGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range testsize.Of(5, 100) {
		var margins []float64
		var positive []bool
		for range 50 {
			m := r.NormFloat64() * 2
			margins, positive = append(margins, m), append(positive, r.Float64() < 1/(1+math.Exp(1-2*m)))
		}
		s, f := FitSigmoid(margins, positive), newSigmoidFit(margins, positive)
		best := math.Inf(1)
		for a := 0.0; a < 8; a += 0.05 {
			for b := -6.0; b < 6; b += 0.05 {
				best = min(best, f.loss(Sigmoid{a, b}))
			}
		}
		if got := f.loss(s); got > best+1e-9 {
			t.Errorf("loss %g with %+v; the grid has %g", got, s, best)
		}
	}
}

// At two margins the sigmoid passes through the targets themselves: with a
// positives and b others at one margin, the mean target there.
func TestFitSigmoidHasTheClosedFormOfTwoMargins(t *testing.T) {
	margins := []float64{-1, -1, -1, 1, 1, 1}
	positive := []bool{false, false, true, true, true, false}
	s := FitSigmoid(margins, positive)
	high, low := 4.0/5, 1.0/5
	for m, want := range map[float64]float64{-1: (2*low + high) / 3, 1: (2*high + low) / 3} {
		if got := s.Probability(m); math.Abs(got-want) > 1e-4 {
			t.Errorf("P at %g is %g, want %g", m, got, want)
		}
	}
}

func TestFitSigmoidIsNeverCertain(t *testing.T) {
	s := FitSigmoid([]float64{-2, -1, 1, 2}, []bool{false, false, true, true})
	if p := s.Probability(1); !(p > 0.5 && p < 0.95) {
		t.Errorf("four margins that separate give %g", p)
	}
}

func TestFitSigmoidOfNothingToLearn(t *testing.T) {
	for name, tc := range map[string]struct {
		margins  []float64
		positive []bool
	}{
		"nothing":   {},
		"one kind":  {[]float64{1, 2}, []bool{true, true}},
		"backwards": {[]float64{1, -1}, []bool{false, true}},
		"all equal": {[]float64{1, 1}, []bool{false, true}},
	} {
		s := FitSigmoid(tc.margins, tc.positive)
		if low, high := s.Probability(-3), s.Probability(3); !(low >= 0 && low < high && high <= 1) {
			t.Errorf("%s: P(-3) = %g, P(3) = %g", name, low, high)
		}
	}
}
