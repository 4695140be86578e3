// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// world is a small random instance: tokens, hypotheses as flags per token, and a
// subset H of them.
type world struct {
	sensitive []bool
	class     [][]bool
	h         [][]bool
}

func newWorld(r *rand.Rand) world {
	n := 1 + r.IntN(12)
	w := world{sensitive: flags(r, n)}
	for range 1 + r.IntN(6) {
		w.class = append(w.class, flags(r, n))
	}
	for _, h := range w.class {
		if r.IntN(2) == 0 {
			w.h = append(w.h, h)
		}
	}
	return w
}

func flags(r *rand.Rand, n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = r.IntN(3) == 0
	}
	return out
}

func (w world) redacted() []bool {
	out := make([]bool, len(w.sensitive))
	for x := range out {
		out[x] = marked(w.h, x)
	}
	return out
}

func (w world) with(h []bool) [][]bool { return append(w.h[:len(w.h):len(w.h)], h) }

// fnOf is FN(H), the number of sensitive tokens that no h in H marks. H is
// [classifier][token]; sensitive is S as a flag per token.
func fnOf(h [][]bool, sensitive []bool) int {
	n := 0
	for x, s := range sensitive {
		if s && !marked(h, x) {
			n++
		}
	}
	return n
}

// fpOf is FP(H), the number of other tokens that some h in H marks.
func fpOf(h [][]bool, sensitive []bool) int {
	n := 0
	for x, s := range sensitive {
		if !s && marked(h, x) {
			n++
		}
	}
	return n
}

func marked(h [][]bool, x int) bool {
	for _, hk := range h {
		if hk[x] {
			return true
		}
	}
	return false
}

// loss is T(H) with C = 1.
func (w world) loss(l float64, h [][]bool) float64 {
	return Loss(l, 1, float64(fnOf(h, w.sensitive)), float64(fpOf(h, w.sensitive)))
}

func TestLemma1CountsOfAUnionAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		w := newWorld(r)
		for _, h := range w.class {
			c := CountOn(h, w.redacted(), w.sensitive)
			if got, want := fnOf(w.h, w.sensitive), fnOf(w.with(h), w.sensitive)+c.TP; got != want {
				t.Fatalf("FN(H) = %d, FN(H u h) + TP(h, P(H)) = %d", got, want)
			}
			if got, want := fpOf(w.with(h), w.sensitive), fpOf(w.h, w.sensitive)+c.FP; got != want {
				t.Fatalf("FP(H u h) = %d, FP(H) + FP(h, P(H)) = %d", got, want)
			}
		}
	}
}

func TestTheorem2CharacterizesLocalOptima(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	optima := 0
	for range 2000 {
		w := newWorld(r)
		l := float64(1 + r.IntN(8))
		for _, h := range w.class {
			c := CountOn(h, w.redacted(), w.sensitive)
			change := w.loss(l, w.with(h)) - w.loss(l, w.h)
			byRatio := c.TP == 0 || float64(c.FP)/float64(c.TP) >= l
			if got := LocalOptimum(l, c); got != (change >= 0) || got != byRatio {
				t.Fatalf("local optimum %v with T(H u h) - T(H) = %g, FP/TP = %d/%d, L/C = %g", got, change, c.FP, c.TP, l)
			}
			if change >= 0 {
				optima++
			}
		}
	}
	if optima < 100 {
		t.Fatalf("only %d local optima met: the cases test nothing", optima)
	}
}

func TestTheorems3And4BoundTheAttackerAtLocalOptima(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	checked := 0
	for range 20000 {
		w := newWorld(r)
		l := float64(1+r.IntN(40)) / 4
		nonsensitive := 0
		for _, s := range w.sensitive {
			if !s {
				nonsensitive++
			}
		}
		for _, h := range w.class {
			c := CountOn(h, w.redacted(), w.sensitive)
			if !LocalOptimum(l, c) {
				continue
			}
			if bound := MaxTruePositives(l, nonsensitive); float64(c.TP) > bound {
				t.Fatalf("TP_A = %d above theorem 3's %g", c.TP, bound)
			}
			if c.TP == 0 || !PrioritizingHelps(c) {
				continue
			}
			for b := c.TP + c.FP; b <= c.TP+c.FP+c.FN+c.TN; b++ {
				if got, bound := Gain(c, b), MaxGain(l, nonsensitive); got > bound+1e-9 {
					t.Fatalf("U_A*/U_A = %g above theorem 4's %g", got, bound)
				}
				checked++
			}
		}
	}
	if checked < 1000 {
		t.Fatalf("only %d cases for theorem 4", checked)
	}
}

// TestExample1GainsWhatThePaperSays has the worked example of tkde section 4: 3 true and 6 false
// positives, 15 true and 2 false negatives, and a budget of 20. The paper cuts the
// result, 1.1165, to 1.11.
func TestExample1GainsWhatThePaperSays(t *testing.T) {
	c := Counts{TP: 3, FP: 6, TN: 15, FN: 2}
	if n := c.TP + c.FP + c.TN + c.FN; n != 26 {
		t.Fatalf("%d instances, want 26", n)
	}
	want := (3 + (20-3-6)*2/(2+15.0)) / (20 * (3 + 2) / 26.0)
	if got := Gain(c, 20); math.Abs(got-want) > 1e-12 || math.Abs(got-1.1165) > 5e-5 {
		t.Errorf("U_A*/U_A = %.6f, want %.6f", got, want)
	}
	if !PrioritizingHelps(c) {
		t.Error("3*15 < 6*2")
	}
	if got, want := gainAtMost(c), 1+(3*15-6*2)/((3+6)*(3+2.0)); math.Abs(got-want) > 1e-12 {
		t.Errorf("lemma 3: %g, want %g", got, want)
	}
}

// TestLargeLCLeavesNothingToFind has the remark after theorem 2: when L/C > (1-alpha)*n
// the only local optima have TP_A = 0.
func TestLargeLCLeavesNothingToFind(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	for range 5000 {
		c := Counts{r.IntN(5), r.IntN(9), r.IntN(5), r.IntN(9)}
		nonsensitive := c.FP + c.TN
		if LocalOptimum(float64(nonsensitive)+0.5, c) && c.TP > 0 {
			t.Fatalf("%+v is a local optimum above L/C = %d", c, nonsensitive)
		}
	}
}

func TestGainOfNothingSensitiveIsOne(t *testing.T) {
	for _, c := range []Counts{{}, {FP: 3, TN: 2}} {
		if got := Gain(c, 3); got != 1 {
			t.Errorf("Gain(%+v) = %g, want 1", c, got)
		}
	}
}

func TestShareOfNothingIsOne(t *testing.T) {
	if got := share(45, 50); got != 0.9 {
		t.Errorf("45 of 50 published: ratio %g, want 0.9", got)
	}
	if got := share(0, 0); got != 1 {
		t.Errorf("nothing to publish: ratio %g, want 1", got)
	}
}
