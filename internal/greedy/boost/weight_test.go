// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noisy are rows whose class depends on two columns and on chance.
func noisy(rows int) (Matrix, []bool) {
	r := rand.New(rand.NewPCG(4, 4))
	x, y := Matrix{make([]float32, rows), make([]float32, rows)}, make([]bool, rows)
	for i := range y {
		x[0][i], x[1][i] = float32(r.IntN(8)), float32(r.IntN(8))
		y[i] = r.Float64() < 0.05+0.08*float64(x[0][i])+0.02*float64(x[1][i])
	}
	return x, y
}

// repeated has each true row n times.
func repeated(x Matrix, y []bool, n int) (Matrix, []bool) {
	out, classes := make(Matrix, len(x)), []bool{}
	for r, is := range y {
		times := 1
		if is {
			times = n
		}
		for range times {
			classes = append(classes, is)
			for c := range x {
				out[c] = append(out[c], x[c][r])
			}
		}
	}
	return out, classes
}

func TestAWeightIsWorthAsManyRows(t *testing.T) {
	x, y := noisy(600)
	more, classes := repeated(x, y, 3)
	for name, train := range map[string]func(Matrix, []bool, float64) (*Model, error){
		"logistic": func(x Matrix, y []bool, w float64) (*Model, error) {
			return Train(t.Context(), x, y, Options{Trees: 12, Weight: w})
		},
		"adaboost": func(x Matrix, y []bool, w float64) (*Model, error) {
			return AdaBoost(t.Context(), x, y, AdaOptions{Rounds: 12, Weight: w})
		},
		"real": func(x Matrix, y []bool, w float64) (*Model, error) {
			return AdaBoost(t.Context(), x, y, AdaOptions{Rounds: 12, Real: true, Weight: w})
		},
	} {
		weighted, err := train(x, y, 3)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := train(more, classes, 0)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := train(x, y, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, want, less := weighted.LogOdds(x), rows.LogOdds(x), plain.LogOdds(x)
		rises := 0
		for r := range got {
			if math.Abs(got[r]-want[r]) > 0.02*(1+math.Abs(want[r])) {
				t.Fatalf("%s, row %d: %g weighted, %g repeated", name, r, got[r], want[r])
			}
			if got[r] > less[r] {
				rises++
			}
		}
		if rises < len(got)*9/10 {
			t.Errorf("%s: the weight raises %d of %d rows", name, rises, len(got))
		}
	}
}

func TestAWeightOfNothingIsRefused(t *testing.T) {
	x, y := noisy(20)
	for _, w := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := Train(t.Context(), x, y, Options{Weight: w}); err == nil {
			t.Errorf("weight %g: no error", w)
		}
		if _, err := AdaBoost(t.Context(), x, y, AdaOptions{Weight: w}); err == nil {
			t.Errorf("adaboost with weight %g: no error", w)
		}
	}
}
