// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"math"

	"hide/internal/greedy"
)

// Sigmoid converts a margin m to a probability, 1 / (1 + exp(-(Slope m + Shift))).
type Sigmoid struct{ Slope, Shift float64 }

// uncalibrated is used if nothing can be fitted.
var uncalibrated = Sigmoid{Slope: 2}

// Probability is in (0, 1) and rises with the margin.
func (s Sigmoid) Probability(margin float64) float64 {
	return greedy.Logistic(s.Slope*margin + s.Shift)
}

// FitSigmoid is the maximum likelihood sigmoid with Platt's targets: with n+ positive
// margins and n- others the targets are (n+ + 1)/(n+ + 2) and 1/(n- + 2) instead of 1 and
// 0, so that separable margins do not give certainty. If there is only one class, or
// larger margins are less probable, nothing can be fitted and the slope is 2.
func FitSigmoid(margins []float64, positive []bool) Sigmoid {
	f := newSigmoidFit(margins, positive)
	if f.ones == 0 || f.ones == len(margins) {
		return uncalibrated
	}
	s := Sigmoid{Slope: 1, Shift: f.prior()}
	for range 100 {
		next, moved := f.newton(s)
		if !moved {
			break
		}
		s = next
	}
	if !(s.Slope > 0) || math.IsInf(s.Slope, 0) || math.IsNaN(s.Shift) {
		return uncalibrated
	}
	return s
}

type sigmoidFit struct {
	margins   []float64
	positive  []bool
	ones      int
	high, low float64 // the two targets
}

func newSigmoidFit(margins []float64, positive []bool) *sigmoidFit {
	f := &sigmoidFit{margins: margins, positive: positive}
	for _, p := range positive {
		if p {
			f.ones++
		}
	}
	f.high = float64(f.ones+1) / float64(f.ones+2)
	f.low = 1 / float64(len(margins)-f.ones+2)
	return f
}

// prior is the log-odds of the base rate.
func (f *sigmoidFit) prior() float64 {
	return math.Log(float64(f.ones+1) / float64(len(f.margins)-f.ones+1))
}

func (f *sigmoidFit) target(i int) float64 {
	if f.positive[i] {
		return f.high
	}
	return f.low
}

// loss is -log likelihood: sum_i log(1 + exp(z_i)) - t_i z_i.
func (f *sigmoidFit) loss(s Sigmoid) float64 {
	sum := 0.0
	for i, m := range f.margins {
		z := s.Slope*m + s.Shift
		sum += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - f.target(i)*z
	}
	return sum
}

// newton takes one Newton step, halved until the loss falls.
func (f *sigmoidFit) newton(s Sigmoid) (Sigmoid, bool) {
	const ridge = 1e-12 // keeps the Hessian from being singular
	gm, g0, hmm, hm0, h00 := 0.0, 0.0, ridge, 0.0, ridge
	for i, m := range f.margins {
		p := s.Probability(m)
		e, h := p-f.target(i), p*(1-p)
		gm, g0 = gm+e*m, g0+e
		hmm, hm0, h00 = hmm+h*m*m, hm0+h*m, h00+h
	}
	det := hmm*h00 - hm0*hm0
	if math.Abs(gm) < 1e-6 && math.Abs(g0) < 1e-6 || !(det > 0) {
		return s, false
	}
	dm, d0 := -(h00*gm-hm0*g0)/det, -(hmm*g0-hm0*gm)/det
	now := f.loss(s)
	for step := 1.0; step > 1e-10; step /= 2 {
		next := Sigmoid{s.Slope + step*dm, s.Shift + step*d0}
		if f.loss(next) < now {
			return next, true
		}
	}
	return s, false
}
