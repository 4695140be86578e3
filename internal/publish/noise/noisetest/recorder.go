// SPDX-License-Identifier: Apache-2.0

// Package noisetest records in tests which noise was requested.
package noisetest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"hide/internal/publish/noise"
)

// Draws are consecutive counts with noise of one kind.
type Draws struct {
	Sensitivity int64
	Epsilon     float64
	Counts      int
}

// Recorder is a [noise.Source] that adds nothing and records the requests.
type Recorder struct{ Draws []Draws }

var _ noise.Source = (*Recorder)(nil)

// Add returns count.
func (r *Recorder) Add(count, sensitivity int64, epsilon float64) (int64, error) {
	last := len(r.Draws) - 1
	if last < 0 || r.Draws[last].Sensitivity != sensitivity || r.Draws[last].Epsilon != epsilon {
		r.Draws, last = append(r.Draws, Draws{sensitivity, epsilon, 0}), last+1
	}
	r.Draws[last].Counts++
	return count, nil
}

// Expect fails the test unless the draws were these, with neighbours of one kind added
// up.
func (r *Recorder) Expect(t testing.TB, what string, want ...Draws) {
	t.Helper()
	said := fmt.Sprintf("%s: drew %+v, want %+v", what, r.Draws, want)
	var sum []Draws
	for _, w := range want {
		if last := len(sum) - 1; last >= 0 && sum[last].Sensitivity == w.Sensitivity && sum[last].Epsilon == w.Epsilon {
			sum[last].Counts += w.Counts
			continue
		}
		sum = append(sum, w)
	}
	if len(sum) != len(r.Draws) {
		t.Error(said)
		return
	}
	for i, w := range sum {
		d := r.Draws[i]
		if d.Sensitivity != w.Sensitivity || d.Counts != w.Counts || math.Abs(d.Epsilon-w.Epsilon) > 1e-12 {
			t.Error(said)
			return
		}
	}
}

// Plus is a [noise.Source] that adds itself: smaller counts did not get noise.
type Plus int64

var _ noise.Source = Plus(0)

// Add returns more than count.
func (p Plus) Add(count, _ int64, _ float64) (int64, error) { return count + int64(p), nil }

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

// event is what the attacker observes.
type event struct {
	t     float64
	below bool // "below t" instead of "at least t"
	swap  bool // it is likelier on the dataset without the unit
}

func (e event) count(runs []float64) (k int) {
	for _, x := range runs {
		if (x < e.t) == e.below {
			k++
		}
	}
	return k
}

// bound is ln of the smallest consistent ratio, with alpha for each side.
func (e event) bound(with, without []float64, alpha float64) float64 {
	if e.swap {
		with, without = without, with
	}
	p := atLeast(e.count(with), len(with), alpha)
	q := atMost(e.count(without), len(without), alpha)
	return max(0, math.Log(p/q))
}

// bestEvent tries every threshold between the quantiles of both. It uses the bound of the
// result, so that a rare event that looks good by chance loses.
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

// quantiles returns up to 200 values, closer together at the extremes.
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
