// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"hide/internal/annotate"
)

// twoTaggers reads n notes twice: each tagger finds a name with its own probability.
func twoTaggers(seed uint64, n int, first, second float64) (a, b []Prediction) {
	r := rand.New(rand.NewPCG(seed, 77))
	for range n {
		gold := []annotate.Span{span(1, 2, "N"), span(4, 6, "N"), span(8, 9, "D")}
		found := func(p float64) (out []annotate.Span) {
			for _, s := range gold {
				if r.Float64() < p {
					out = append(out, s)
				}
			}
			return out
		}
		a = append(a, document(tenTokens, gold, found(first)))
		b = append(b, document(tenTokens, gold, found(second)))
	}
	return a, b
}

// allExchanges is the share of all exchanges of documents that make the difference of F1
// at least as large, by scoring every one of them.
func allExchanges(a, b []Prediction, figure func(Report) float64) float64 {
	apart := func(a, b []Prediction) float64 {
		return math.Abs(figure(Of(a, Options{})) - figure(Of(b, Options{})))
	}
	n, least := 0, apart(a, b)
	for bits := range 1 << len(a) {
		x, y := make([]Prediction, len(a)), make([]Prediction, len(a))
		for i := range a {
			x[i], y[i] = a[i], b[i]
			if bits>>i&1 == 1 {
				x[i], y[i] = b[i], a[i]
			}
		}
		if apart(x, y) >= least-1e-12 {
			n++
		}
	}
	return float64(n) / float64(int(1)<<len(a))
}

func TestPOfFewNotesIsTheShareOfAllExchanges(t *testing.T) {
	for seed := range uint64(12) {
		a, b := twoTaggers(seed, 6, .5, .8)
		c := Compare(a, b, Options{})
		entity := func(r Report) float64 { return r.Entity.Micro.F1 }
		binary := func(r Report) float64 { return r.Binary.F1 }
		if want := allExchanges(a, b, entity); math.Abs(c.Entity.P-want) > 1e-12 {
			t.Errorf("seed %d: p of spans %g, want %g", seed, c.Entity.P, want)
		}
		if want := allExchanges(a, b, binary); math.Abs(c.Binary.P-want) > 1e-12 {
			t.Errorf("seed %d: p of tokens %g, want %g", seed, c.Binary.P, want)
		}
		if want := Of(b, Options{}).Entity.Micro.F1 - Of(a, Options{}).Entity.Micro.F1; math.Abs(c.Entity.F1-want) > 1e-12 {
			t.Errorf("seed %d: difference %g, want %g", seed, c.Entity.F1, want)
		}
	}
}

// Random exchanges agree with all exchanges where both can be had.
func TestRandomExchangesAgreeWithAllOfThem(t *testing.T) {
	a, b := twoTaggers(3, exactGroups+6, .5, .75)
	c := Compare(a, b, Options{Seed: 2})
	var first, second counts
	var apart []int
	x, y := counted(a, group(a)).of(wayEntity), counted(b, group(b)).of(wayEntity)
	for g := range x {
		first, second = first.plus(x[g]), second.plus(y[g])
		if x[g] != y[g] {
			apart = append(apart, g)
		}
	}
	if len(apart) <= exactGroups {
		t.Fatalf("only %d notes differ", len(apart))
	}
	n := 0
	for bits := range 1 << len(apart) {
		p, q := first, second
		for i, g := range apart {
			if bits>>i&1 == 1 {
				more := y[g].minus(x[g])
				p, q = p.plus(more), q.minus(more)
			}
		}
		if math.Abs(q.f1()-p.f1()) >= math.Abs(second.f1()-first.f1())-1e-12 {
			n++
		}
	}
	want := float64(n) / float64(int(1)<<len(apart))
	if got := c.Entity.P; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/exchanges)+1e-3 {
		t.Errorf("p %g, want about %g", got, want)
	}
}

// Under equal taggers p is uniform: at most 5 % of comparisons have p at most .05.
func TestEqualTaggersAreSeldomFoundDifferent(t *testing.T) {
	const draws = 80
	found, missed := 0, 0
	for seed := range uint64(draws) {
		a, b := twoTaggers(100+seed, 24, .7, .7)
		c := Compare(a, b, Options{Seed: seed, Resamples: 200})
		if c.Entity.P <= .05 {
			found++
		}
		if c.Entity.Interval.Low > 0 || c.Entity.Interval.High < 0 {
			missed++
		}
	}
	if most := .05*draws + 3*math.Sqrt(.05*.95*draws); float64(found) > most {
		t.Errorf("%d of %d comparisons have p at most .05, want at most %.0f", found, draws, most)
	}
	// The bootstrap of 24 notes is a little narrow.
	if float64(missed) > .13*draws {
		t.Errorf("%d of %d intervals do not hold 0", missed, draws)
	}
	a, b := twoTaggers(9, 60, .6, .9)
	if c := Compare(a, b, Options{Seed: 1, Resamples: 200}); c.Entity.P > .001 || c.Entity.Interval.Low <= 0 || c.Runs.P > .001 {
		t.Errorf("a tagger that is much better: %+v", c.Entity)
	}
}

func TestComparisonWithItselfOrWithoutLabels(t *testing.T) {
	a, _ := twoTaggers(1, 20, .5, .5)
	c := Compare(a, a, Options{Seed: 1, Resamples: 50})
	if c.Entity.F1 != 0 || c.Entity.P != 1 || c.Entity.Groups != 0 || *c.Entity.Interval != (Interval{}) {
		t.Errorf("%+v", c.Entity)
	}
	marks := append([]Prediction(nil), a...)
	for i := range marks {
		marks[i].Unlabelled = true
	}
	if c := Compare(a, marks, Options{}); c.Entity != nil || c.Runs.P != 1 || c.Binary.P != 1 || c.Runs.Interval != nil {
		t.Errorf("%+v", c)
	}
	if x, y := Compare(a, marks, Options{Seed: 4, Resamples: 9}), Compare(a, marks, Options{Seed: 4, Resamples: 9}); !reflect.DeepEqual(x, y) {
		t.Error("equal inputs give other comparisons")
	}
}

// The documents of a patient are exchanged together.
func TestPatientsAreExchangedWhole(t *testing.T) {
	a, b := twoTaggers(5, 8, .5, .9)
	for i := range a {
		a[i].Patient, b[i].Patient = "p", "p"
	}
	if c := Compare(a, b, Options{Resamples: 10}); c.Entity.P != 1 || c.Entity.Interval != nil {
		t.Errorf("one patient cannot show a difference: %+v", c.Entity)
	}
}

// Worked by hand.
func TestHolm(t *testing.T) {
	for _, test := range []struct{ p, want []float64 }{
		{nil, nil},
		{[]float64{.03}, []float64{.03}},
		{[]float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{[]float64{.5, .5}, []float64{1, 1}},
		{[]float64{.9, .001}, []float64{.9, .002}},
	} {
		got := Holm(test.p)
		for i := range test.want {
			if math.Abs(got[i]-test.want[i]) > 1e-12 {
				t.Errorf("%v: %v, want %v", test.p, got, test.want)
			}
		}
	}
}
