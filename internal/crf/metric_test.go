// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf/kernel"
)

// alone makes a separate document of each word.
func alone(docs []sequence, times int) (words []sequence) {
	for _, d := range docs {
		for t := range d.words {
			for range times {
				words = append(words, sequence{words: d.words[t : t+1], labels: d.labels[t : t+1]})
			}
		}
	}
	return words
}

func TestCurvatureIsTheDiagonalOfTheHessianWhereWordsStandAlone(t *testing.T) {
	docs, _ := notes(5, 2)
	subtotals, plain := 0, 0
	for _, o := range []Options{
		{Features: HIDE, Pairs: Observed, AnyTransition: true, C2: 0.7},
		{Pairs: All, C2: 2},
		{MinCount: 1, MinDocuments: 1, Pairs: Observed, C2: 1},
	} {
		o = o.withDefaults()
		d := datasetOf(t, alone(manyLabels(docs), worthASubtotal+6), o)
		p := newPass[float64](d, o)
		subtotals, plain = subtotals+d.subtotals.of.len(), plain+len(p.plain)
		w, g, curves, ones := make([]float64, d.weights()), make([]float64, d.weights()), make([]float64, d.weights()), make([]float64, d.weights())
		for k := range w {
			if d.pairs[k] != noState && k >= len(p.frozen) {
				w[k] = math.Sin(float64(k)) / 2
			}
		}
		valueAt(t, p, w, g)
		if err := p.curvature(t.Context(), curves, ones); err != nil {
			t.Fatal(err)
		}
		first := d.states.transitions()
		some := []int{d.spreadAt() - 1, d.aloneAt(), d.aloneAt() + 1, d.onceAt() - 1} // of each kind, and
		for k := first; k < len(w); k += 1 + (len(w)-first)/8 {
			some = append(some, k)
		}
		for _, k := range some {
			if k < first || k >= len(w) || d.pairs[k] == noState {
				continue
			}
			if want := curvatureAt(t, p, w, g, k) / (2 * o.C2); math.Abs(curves[k]-want) > 1e-4*want {
				t.Fatalf("%s pairs: weight %d of %d curves %g times as much as by the penalty, want %g", o.Pairs, k, len(w), curves[k], want)
			}
		}
	}
	if subtotals == 0 || plain == 0 {
		t.Errorf("%d subtotals and %d tokens with what only O has, want some", subtotals, plain)
	}
}

// curvatureAt is the curvature of the objective along weight k, from the gradients on
// both sides.
func curvatureAt(t *testing.T, p *pass[float64], w, g []float64, k int) float64 {
	const h = 1e-5
	at, ends := w[k], [2]float64{}
	defer func() { w[k] = at }()
	for i := range ends {
		w[k] = at + h*float64(2*i-1)
		valueAt(t, p, w, g)
		ends[i] = g[k]
	}
	return (ends[1] - ends[0]) / (2 * h)
}

func TestUnitsFollowTheCurvatureToAnEighthOfAnOctave(t *testing.T) {
	units := unitsOf[float64]()
	for _, times := range []float64{0, 1, 1.06, 1.13, 2, 3, 77.5, 4096, 1e8} {
		want := math.Pow(max(times, 1), -metricExponent)
		if got := units[octavePart(times)]; got < want || got > want*math.Pow(1.125, metricExponent) {
			t.Errorf("unit %g of a weight that curves %g times as much, want %g", got, times, want)
		}
	}
	if got, want := units[octavePart(math.Inf(1))], units[len(units)-1]; got != want {
		t.Errorf("unit %g at infinity, want the least, %g", got, want)
	}
}

// bowlMetric is the metric of bowl; with the right exponent the bowl becomes round.
func bowlMetric(n int, exponent float64) *metric[float64] {
	m := &metric[float64]{unit: make([]float64, n), inverse: make([]float64, n), scaled: make([]float64, n)}
	for i := range n {
		m.unit[i] = math.Pow(10, -exponent*float64(i%5))
		m.inverse[i] = 1 / m.unit[i]
	}
	return m
}

func TestAMetricLeadsToTheSameMinimumInFewerSteps(t *testing.T) {
	steps := map[float64]int{}
	for _, exponent := range []float64{0, 0.25, 0.5} {
		m := minimizer[float64]{evaluate: bowl, memory: 5, limit: 500, workers: 1}
		m.measure = func(context.Context) (*metric[float64], error) { return bowlMetric(40, exponent), nil }
		x := make([]float64, 40)
		end, err := m.minimize(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			if !near(v, float64(i), 1e-4) {
				t.Errorf("exponent %g: x[%d] is %g after %+v", exponent, i, v, end)
			}
		}
		steps[exponent] = end.iterations
	}
	if !(steps[0.5] < steps[0.25] && steps[0.25] < steps[0]) {
		t.Errorf("iterations by exponent: %v, want fewer for a rounder bowl", steps)
	}
}

func TestPairsLeaveTheMetric(t *testing.T) {
	m := minimizer[float64]{evaluate: bowl, memory: 5, limit: 4, workers: 1}
	m.measure = func(context.Context) (*metric[float64], error) { return bowlMetric(20, 0.25), nil }
	if _, err := m.minimize(t.Context(), make([]float64, 20)); err != nil {
		t.Fatal(err)
	}
	past, err := m.history.last(t.Context(), 2)
	if err != nil || len(past) != 2 {
		t.Fatalf("%d pairs, error %v", len(past), err)
	}
	for _, p := range past {
		s, y := make([]float64, 20), make([]float64, 20)
		none := make([]kernel.BFloat16, 20)
		kernel.PairAxpy(1, p.s, 0, none, s)
		kernel.PairAxpy(1, p.y, 0, none, y)
		for i := range s {
			if want := 2 * math.Pow(10, float64(i%5)) * s[i]; math.Abs(y[i]-want) > 0.03*math.Abs(want) {
				t.Errorf("gradient %d changed by %g over a step of %g, want %g", i, y[i], s[i], want)
			}
		}
	}
}

// frequentAndRare returns documents with word frequencies as in a language (Zipf's
// law). Each word is mostly a name, or mostly not.
func frequentAndRare(seed uint64, n int) (docs []sequence) {
	r := rand.New(rand.NewPCG(seed, 1))
	zipf := rand.NewZipf(r, 1.3, 3, 5000)
	for range n {
		var d sequence
		for range 25 {
			word, label := zipf.Uint64(), annotate.Label("")
			if name := word%5 == 3; name != (r.IntN(10) == 0) {
				label = []annotate.Label{"CITY", "PERSON"}[word%2]
			}
			d.words, d.labels = append(d.words, strconv.FormatUint(word*word*7919, 36)), append(d.labels, label)
		}
		docs = append(docs, d)
	}
	return docs
}

func TestTheMetricOfAPassSavesEvaluations(t *testing.T) {
	docs := frequentAndRare(3, 400)
	o := Options{Features: HIDE, Pairs: Observed, C2: 1}.withDefaults()
	d := datasetOf(t, docs, o)
	start := make([]float32, d.weights())
	rough := minimizer[float32]{evaluate: newPass[float32](d, o).evaluate, memory: 40, limit: 10, workers: 1}
	if _, err := rough.minimize(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	var ends [2]outcome
	for i := range ends {
		p := newPass[float32](d, o)
		m := minimizer[float32]{evaluate: p.evaluate, memory: 40, limit: 500, tolerance: 1e-5, workers: 1}
		if i == 1 {
			m.measure = p.metric
		}
		x := append([]float32(nil), start...)
		var err error
		if ends[i], err = m.minimize(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
	if plain, scaled := ends[0], ends[1]; scaled.evaluations >= plain.evaluations || math.Abs(scaled.f-plain.f) > 1e-4*plain.f {
		t.Errorf("%d evaluations to %g in the metric, %d to %g without", scaled.evaluations, scaled.f, plain.evaluations, plain.f)
	}
}

func TestATrainingGoesOnFromItsSampleInTheMetric(t *testing.T) {
	o := sampledOptions.withDefaults()
	o.MaxIterations = 5
	d := datasetOf(t, manyNotes(), o)
	f := fitting{data: d, options: o, took: o.Stopwatch(), cold: true, room: &room[float32]{}}
	got, err := f.fit(t.Context(), make([]float32, d.weights()))
	if err != nil {
		t.Fatal(err)
	}
	p, start := newPass[float32](d, o), make([]float32, d.weights())
	if _, err := f.foretaste(t.Context(), p, start); err != nil {
		t.Fatal(err)
	}
	var ends [2]Stats
	for i, how := range []opening[float32]{{measure: p.metric}, {}} {
		f.past = nil
		if ends[i], err = descend(t.Context(), &f, p, append([]float32(nil), start...), Iteration{}, how); err != nil {
			t.Fatal(err)
		}
	}
	if in, out := ends[0].Objective, ends[1].Objective; got.Objective != in || in == out {
		t.Errorf("objective %g, want that in the metric, %g, and not %g", got.Objective, in, out)
	}
}

func TestAPassIsNotKeptOnceItsMetricIsTaken(t *testing.T) {
	docs, _ := notes(3, 20)
	o := Options{Features: HIDE, Pairs: Observed, C2: 1}.withDefaults()
	p := newPass[float32](datasetOf(t, docs, o), o)
	w, g := make([]float32, p.data.weights()), make([]float32, p.data.weights())
	if _, err := p.evaluate(t.Context(), w, g); err != nil {
		t.Fatal(err)
	}
	if _, err := p.metric(t.Context()); err != nil {
		t.Fatal(err)
	}
	if k := (*kept)(nil).keep(&fitting{pass: p}, w); k != nil {
		t.Error("the results that the metric overwrote are kept for the next training")
	}
}
