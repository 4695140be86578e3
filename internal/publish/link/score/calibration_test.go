// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestBinsOfAWorkedExample(t *testing.T) {
	got := Calibrate(func(yield func(float64, bool) bool) {
		_ = yield(0.91, true) && yield(0.99, true) && yield(1, false) && yield(0.5, true) && yield(0.52, false)
	})
	want := []Bin{{0.5, 0.6, 0.51, 0.5, 2}, {0.9, 1, 2.9 / 3, 2.0 / 3, 3}}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		g, w := got[i], want[i]
		if g.Count != w.Count || math.Abs(g.Predicted-w.Predicted)+math.Abs(g.True-w.True)+math.Abs(g.Low-w.Low)+math.Abs(g.High-w.High) > 1e-12 {
			t.Errorf("bin %d: got %v, want %v", i, g, w)
		}
	}
	if e := CalibrationError(got); math.Abs(e-(2*0.01+3*0.3)/5) > 1e-12 {
		t.Errorf("calibration error %v", e)
	}
	if e := CalibrationError(nil); e != 0 {
		t.Errorf("calibration error of no pairs %v", e)
	}
}

func TestHonestProbabilitiesAreCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	got := Calibrate(func(yield func(float64, bool) bool) {
		for range 100_000 {
			p := rng.Float64()
			if !yield(p, rng.Float64() < p) {
				return
			}
		}
	})
	if len(got) != 10 || CalibrationError(got) > 0.01 {
		t.Errorf("%d bins, calibration error %v", len(got), CalibrationError(got))
	}
}
