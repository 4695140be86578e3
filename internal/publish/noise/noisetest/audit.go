// SPDX-License-Identifier: Apache-2.0

package noisetest

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Audit bounds epsilon from below by the output of a mechanism in many independent runs:
// with on a dataset, without on the same dataset less one unit. An attacker who guesses
// from "at least t" or "below t" which dataset it was is right more often the larger
// epsilon is: for every event E,
//
//	P(E | with) <= e^epsilon P(E | without), and the other way round.
//
// The first half of the runs chooses the event; the second half bounds its two
// probabilities (Clopper-Pearson), so that the result is above the true epsilon
// with a probability of at most 1 - confidence.
func Audit(with, without []float64, confidence float64) float64 {
	n, m := len(with)/2, len(without)/2
	if n == 0 || m == 0 {
		return 0
	}
	alpha := (1 - confidence) / 2
	e := bestEvent(slices.Clone(with[:n]), slices.Clone(without[:m]), alpha)
	return e.bound(with[n:], without[m:], alpha)
}

// event is what the attacker looks at.
type event struct {
	t     float64
	below bool // "below t" instead of "at least t"
	swap  bool // it is the likelier on the dataset without the unit
}

func (e event) count(runs []float64) (k int) {
	for _, x := range runs {
		if (x < e.t) == e.below {
			k++
		}
	}
	return k
}

// bound is ln of the least ratio that fits, alpha for each side.
func (e event) bound(with, without []float64, alpha float64) float64 {
	if e.swap {
		with, without = without, with
	}
	p := atLeast(e.count(with), len(with), alpha)
	q := atMost(e.count(without), len(without), alpha)
	return max(0, math.Log(p/q))
}

// bestEvent tries every threshold between the quantiles of both. It judges them as
// strictly as the result is judged: a rare event that looks good by chance loses.
func bestEvent(with, without []float64, alpha float64) event {
	thresholds := quantiles(append(slices.Clone(with), without...))
	var best event
	most := math.Inf(-1)
	for _, t := range thresholds {
		for k := range 4 {
			e := event{t: t, below: k&1 != 0, swap: k&2 != 0}
			if b := e.bound(with, without, alpha); b > most {
				best, most = e, b
			}
		}
	}
	return best
}

// quantiles are up to 200 values, the extreme ones closer together.
func quantiles(x []float64) []float64 {
	slices.Sort(x)
	var out []float64
	for i := 1; i < 200; i++ {
		share := (1 - math.Cos(math.Pi*float64(i)/200)) / 2
		out = append(out, x[int(share*float64(len(x)-1))])
	}
	return slices.Compact(out)
}

// atLeast is the lower Clopper-Pearson bound of a share, k of n seen.
func atLeast(k, n int, alpha float64) float64 {
	if k == 0 {
		return 0
	}
	return mathext.InvRegIncBeta(float64(k), float64(n-k+1), alpha)
}

// atMost is the upper one.
func atMost(k, n int, alpha float64) float64 {
	if k == n {
		return 1
	}
	return mathext.InvRegIncBeta(float64(k+1), float64(n-k), 1-alpha)
}
