// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// table is a tagger with a score for each word.
type table map[string]float64

func (t table) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for x := range v.Words {
		out[x] = t[v.Word(x)]
	}
	return out
}

func (t table) Hard(v annotate.View) []bool { return make([]bool, len(v.Words)) }

// drawn are notes of words that are sensitive with the given probabilities.
func drawn(seed uint64, notes, tokens int, p map[string]float64) []annotate.View {
	r := rand.New(rand.NewPCG(seed, 1))
	names := []string{"a", "b", "c", "d"}[:len(p)]
	var out []annotate.View
	for range notes {
		d := &annotate.Note{}
		for x := range tokens {
			w := names[r.IntN(len(names))]
			s, span := r.Float64() < p[w], -1
			if s {
				span = x
			}
			d.Words, d.Sensitive, d.SpanOf, d.Labels = append(d.Words, w), append(d.Sensitive, s), append(d.SpanOf, span), append(d.Labels, "")
		}
		out = append(out, annotate.View{Note: d})
	}
	return out
}

func TestCalibratedScoresAreRates(t *testing.T) {
	odds := func(a, b, p float64) float64 { return greedy.Logistic(a*greedy.LogOdds(p, surest) + b) }
	for name, k := range map[string]struct {
		raw  table
		want map[string]float64
	}{
		"spans only":     {table{"a": 0, "b": 1}, map[string]float64{"a": 0.03, "b": 0.8}},
		"too sure":       {table{"a": 0.01, "b": 0.5, "c": 0.9, "d": 0.999}, map[string]float64{"a": odds(0.5, 0, 0.01), "b": odds(0.5, 0, 0.5), "c": odds(0.5, 0, 0.9), "d": odds(0.5, 0, 0.999)}},
		"another prior":  {table{"a": 0.1, "b": 0.6, "c": 0.95}, map[string]float64{"a": odds(1, -2, 0.1), "b": odds(1, -2, 0.6), "c": odds(1, -2, 0.95)}},
		"tells nothing":  {table{"a": 0.2, "b": 0.2}, map[string]float64{"a": 0.25, "b": 0.25}},
		"tells opposite": {table{"a": 0.9, "b": 0.1}, map[string]float64{"a": 0.25, "b": 0.25}},
	} {
		truth := k.want
		if name == "tells opposite" {
			truth = map[string]float64{"a": 0.1, "b": 0.4}
		}
		h, err := Calibrate(t.Context(), k.raw, drawn(3, 60, 400, truth))
		if err != nil {
			t.Fatal(err)
		}
		v := drawn(4, 1, 50, truth)[0]
		for x, p := range h.Scores(v) {
			if want := k.want[v.Words[x]]; math.Abs(p-want) > 0.025 || h.Hard(v)[x] != (p >= 0.5) {
				t.Fatalf("%s: %q has %g, want %g", name, v.Words[x], p, want)
			}
		}
	}
}

func TestOnlyTrainingTokensCalibrate(t *testing.T) {
	views := drawn(5, 4, 300, map[string]float64{"a": 0.1, "b": 0.9})
	before, err := Calibrate(t.Context(), table{"b": 1}, views[:2])
	if err != nil {
		t.Fatal(err)
	}
	for i := range views[2:] { // as if they were not there
		views[2+i].Skip, views[2+i].Redacted = make([]bool, 300), make([]bool, 300)
		for x := range 300 {
			views[2+i].Skip[x], views[2+i].Redacted[x] = i == 0, i == 1
		}
	}
	after, err := Calibrate(t.Context(), table{"b": 1}, views)
	if err != nil || before.sigmoid != after.sigmoid {
		t.Errorf("%v and %v, %v", before.sigmoid, after.sigmoid, err)
	}
	for _, p := range after.Scores(views[3]) {
		if p != 0 {
			t.Fatal("a redacted token has a score")
		}
	}
}

func TestOneClassChangesNoScore(t *testing.T) {
	h, err := Calibrate(t.Context(), table{"a": 0.3}, drawn(6, 2, 20, map[string]float64{"a": 0}))
	if err != nil || math.Abs(h.Scores(drawn(6, 1, 1, map[string]float64{"a": 0})[0])[0]-0.3) > 1e-9 {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestCalibrationEndsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Calibrate(ctx, table{}, drawn(7, 2, 5, map[string]float64{"a": 0.5})); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
