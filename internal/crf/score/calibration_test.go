// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// foretold is one document of one-letter tokens with probabilities; the ones that come
// true are sensitive.
func foretold(p []float64, hits []bool) Prediction {
	d := Prediction{Note: &annotate.Note{Text: strings.Repeat("a ", len(hits))}, Probability: p}
	for i, hit := range hits {
		at := annotate.ByteOff(2 * i)
		d.Tokens = append(d.Tokens, annotate.Token{Start: at, End: at + 1})
		if hit {
			d.Spans = append(d.Spans, annotate.Span{Start: at, End: at + 1, Label: "N"})
		}
	}
	return d
}

// Three bins of equal width: .1 .1 with none true, .55 .65 in separate bins, .9 .9 with
// one true.
func TestCalibrationWorkedByHand(t *testing.T) {
	d := foretold([]float64{0.9, 0.1, 0.55, 0.1, 0.65, 0.9}, []bool{true, false, true, false, false, false})
	c := Of([]Prediction{d}, Options{}).Calibration.Tokens
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	want := []Bin{
		{Low: 0.1, High: 0.2, Count: 2, Predicted: 0.1},
		{Low: 0.5, High: 0.6, Count: 1, Predicted: 0.55, Observed: 1},
		{Low: 0.6, High: 0.7, Count: 1, Predicted: 0.65},
		{Low: 0.9, High: 1, Count: 2, Predicted: 0.9, Observed: 0.5},
	}
	if len(c.Width) != len(want) {
		t.Fatalf("%d bins, want %d", len(c.Width), len(want))
	}
	for i, b := range c.Width {
		if b.Count != want[i].Count || b.Observed != want[i].Observed || b.Low != want[i].Low || b.High != want[i].High {
			t.Errorf("bin %d is %+v, want %+v", i, b, want[i])
		}
		near("mean probability", b.Predicted, want[i].Predicted)
	}
	near("mean", c.Predicted, 3.2/6)
	near("share", c.Observed, 2./6)
	near("ECE", c.ECE, (2*0.1+0.45+0.65+2*0.4)/6)
	near("MCE", c.MCE, 0.65)
	near("Brier", c.Brier, (0.01+0.01+0.45*0.45+0.65*0.65+0.01+0.81)/6)
}

func TestBinsOfEqualMassKeepEqualProbabilitiesTogether(t *testing.T) {
	var p []float64
	for i := range 100 {
		p = append(p, max(0.5, float64(i)/100))
	}
	c := Of([]Prediction{foretold(p, make([]bool, 100))}, Options{}).Calibration.Tokens
	want := []int{51, 9, 10, 10, 10, 10}
	if len(c.Mass) != len(want) {
		t.Fatalf("%d bins, want %d", len(c.Mass), len(want))
	}
	for i, b := range c.Mass {
		if b.Count != want[i] {
			t.Errorf("bin %d holds %d, want %d", i, b.Count, want[i])
		}
	}
}

func TestBinsOfEqualMassDifferByOneAtMost(t *testing.T) {
	for _, n := range []int{1, 7, 10, 99, 1274} {
		p := make([]float64, n)
		for i := range p {
			p[i] = float64(i) / float64(n)
		}
		c := Of([]Prediction{foretold(p, make([]bool, n))}, Options{}).Calibration.Tokens
		if len(c.Mass) != min(n, bins) {
			t.Errorf("%d bins of %d", len(c.Mass), n)
		}
		for _, b := range c.Mass {
			if b.Count != n/bins && b.Count != n/bins+1 {
				t.Errorf("a bin holds %d of %d", b.Count, n)
			}
		}
	}
}

// Events that come true as often as predicted are calibrated; others have an ECE of the
// difference.
func TestCalibratedForecastsHaveNearlyNoError(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var fair, sure []float64
	var hits []bool
	for range 8000 {
		p := r.Float64()
		fair, hits = append(fair, p), append(hits, r.Float64() < p)
		sure = append(sure, math.Round(p))
	}
	good := Of([]Prediction{foretold(fair, hits)}, Options{}).Calibration.Tokens
	if good.ECE > 0.02 || good.ECEMass > 0.02 || math.Abs(good.Brier-1./6) > 0.01 {
		t.Errorf("ECE %g and %g, Brier %g; want about 0, 0, 1/6", good.ECE, good.ECEMass, good.Brier)
	}
	bad := Of([]Prediction{foretold(sure, hits)}, Options{}).Calibration.Tokens
	if math.Abs(bad.ECE-0.25) > 0.02 || math.Abs(bad.Brier-0.25) > 0.02 {
		t.Errorf("ECE %g, Brier %g; want about 0.25", bad.ECE, bad.Brier)
	}
	n := 0
	for _, b := range good.Mass {
		n += b.Count
		if b.Count != 800 {
			t.Errorf("a bin of equal mass holds %d of 8000", b.Count)
		}
	}
	if n != good.Count {
		t.Errorf("bins hold %d of %d", n, good.Count)
	}
}

func TestSpanScoresComeTrueWhenTheSpanIsExact(t *testing.T) {
	d := document(tenTokens, []annotate.Span{span(0, 1, "N"), span(3, 5, "N")}, []annotate.Span{span(0, 1, "N"), span(3, 4, "N")})
	d.Predicted[0].Score, d.Predicted[1].Score = 0.95, 0.35
	c := Of([]Prediction{d}, Options{}).Calibration
	if c.Tokens != nil {
		t.Error("tokens without probabilities are calibrated")
	}
	if c.Spans.Count != 2 || len(c.Spans.Width) != 2 || c.Spans.Width[0].Observed != 0 || c.Spans.Width[1].Observed != 1 {
		t.Errorf("spans %+v", c.Spans)
	}
}
