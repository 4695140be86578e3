// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/greedy"
)

// opinions are log-odds of three learners about tokens, and what these are: sensitive
// with the probability that a blend with weights w has.
func opinions(r *rand.Rand, tokens int, w []float64) (said [][]float64, y []bool) {
	said = make([][]float64, len(w)-1)
	for range tokens {
		f := w[len(w)-1]
		for k := range said {
			v := 3 * r.NormFloat64()
			said[k] = append(said[k], v)
			f += w[k] * v
		}
		y = append(y, r.Float64() < greedy.Logistic(f))
	}
	return said, y
}

func TestABlendFindsTheWeightsThatMadeTheData(t *testing.T) {
	want := []float64{0.9, 0.3, 0, -1}
	said, y := opinions(rand.New(rand.NewPCG(1, 1)), 20000, want)
	for k, w := range fitBlend(said, y) {
		if math.Abs(w-want[k]) > 0.08 {
			t.Errorf("weight %d is %.3f, want %.1f", k, w, want[k])
		}
	}
}

// TestABlendIsALeastOfItsLoss tries steps each way.
func TestABlendIsALeastOfItsLoss(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		said, y := opinions(r, 20+r.IntN(200), []float64{r.Float64(), r.Float64(), r.NormFloat64()})
		y[0], y[1] = true, false
		w := fitBlend(said, y)
		least := blendLoss(said, y, w)
		for k := range w {
			for _, step := range []float64{-0.01, 0.01} {
				other := append([]float64{}, w...)
				other[k] += step
				if l := blendLoss(said, y, other); l < least-1e-6 {
					t.Fatalf("seed %d: loss %g with weight %d moved by %g, %g without", seed, l, k, step, least)
				}
			}
		}
	}
}

// TestAFewTokensBlendNearTheMean also has learners that agree to the bit, and tokens
// of one kind.
func TestAFewTokensBlendNearTheMean(t *testing.T) {
	said := [][]float64{{1, -1, 0.5}, {1, -1, 0.5}}
	w := fitBlend(said, []bool{true, false, true})
	if math.Abs(w[0]-w[1]) > 1e-6 || w[0] < 0.4 || w[0] > 1.2 {
		t.Errorf("weights %v", w)
	}
	for _, v := range fitBlend(said, make([]bool, 3)) {
		if !(math.Abs(v) <= mostBlend) {
			t.Errorf("weight %g where all tokens have the same class", v)
		}
	}
}

func TestWithoutLeavesPartsOut(t *testing.T) {
	for _, c := range []struct {
		names string
		want  Parts
		ok    bool
	}{
		{"", Default, true}, {"crf", Default &^ CRF, true}, {"bonus,neighbours", Default &^ (Bonus | Neighbours), true},
		{"crf,trees", 0, false}, {"nose", 0, false}, {"corpus", 0, false}, {"bonus,bonus", 0, false},
	} {
		var names []string
		if c.names != "" {
			names = strings.Split(c.names, ",")
		}
		if got, err := Without(names); (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("without %q: %s, %v", c.names, got, err)
		}
	}
}
