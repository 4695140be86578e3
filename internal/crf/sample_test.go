// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

func TestExcerptsAddUpToTheWhole(t *testing.T) {
	docs, _ := notes(11, 40)
	for _, o := range []Options{
		{Features: HIDE, Pairs: Observed, AnyTransition: true},
		{Features: HIDE, Pairs: Observed},
		{MinCount: 1, MinDocuments: 1},
		{Pairs: All},
	} {
		for _, docs := range [][]sequence{docs, manyLabels(docs)} {
			d := datasetOf(t, docs, o)
			o = o.withDefaults()
			whole := newPass[float64](d, o)
			whole.c2 = 0
			w, gradient, sum := make([]float64, d.weights()), make([]float64, d.weights()), make([]float64, d.weights())
			for k := range w {
				if d.pairs[k] != noState && (k >= len(whole.frozen) || !whole.frozen[k]) {
					w[k] = math.Sin(float64(k))
				}
			}
			f, total := valueAt(t, whole, w, gradient), 0.0
			for part := range 3 {
				var chosen []int
				for i := range docs {
					if i%3 == part {
						chosen = append(chosen, i)
					}
				}
				e, err := d.excerpt(t.Context(), chosen, whole.frozen, 2)
				if err != nil {
					t.Fatal(err)
				}
				p := newPass[float64](e.dataset, o)
				p.c2 = 0
				x, g := make([]float64, len(e.weightOf)), make([]float64, len(e.weightOf))
				for i, k := range e.weightOf {
					x[i] = w[k]
				}
				total += valueAt(t, p, x, g)
				for i, k := range e.weightOf {
					sum[k] += g[i]
				}
			}
			if math.Abs(total-f) > 1e-6*math.Abs(f) {
				t.Errorf("%s pairs: objectives of parts add up to %g, of the whole %g", o.Pairs, total, f)
			}
			for k := range gradient {
				if d.pairs[k] != noState && math.Abs(gradient[k]-sum[k]) > 1e-6*(1+math.Abs(gradient[k])) {
					t.Fatalf("%s pairs: gradient of weight %d of %d is %g, of the parts %g", o.Pairs, k, len(w), gradient[k], sum[k])
				}
			}
		}
	}
}

func valueAt(t *testing.T, p *pass[float64], w, gradient []float64) float64 {
	t.Helper()
	f, err := p.evaluate(t.Context(), w, gradient)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// manyNotes is enough notes for a sample to be used.
func manyNotes() []sequence {
	docs, _ := notes(12, 1400)
	return docs
}

// sampledOptions make a training that uses a sample but is fast.
var sampledOptions = Options{Features: HIDE &^ Context, Pairs: Observed, C2: 1, Tolerance: 1e-6, MaxIterations: 300}

func TestStartFromASampleEndsWhereAStartFromNothingDoes(t *testing.T) {
	docs, o := manyNotes(), sampledOptions.withDefaults()
	d := datasetOf(t, docs, o)
	began := 0
	o.Trace.SampleStart = func() { began++ }
	var ends [2]Stats
	for i, cold := range []bool{false, true} {
		f := fitting{data: d, options: o, took: o.Stopwatch(), cold: cold, room: &room[float32]{}}
		var err error
		if ends[i], err = f.fit(t.Context(), make([]float32, d.weights())); err != nil {
			t.Fatal(err)
		}
	}
	if began != 1 {
		t.Fatalf("%d samples of %d tokens, want one", began, len(d.gold))
	}
	if a, b := ends[0].Objective, ends[1].Objective; math.Abs(a-b) > 1e-4*a {
		t.Errorf("objective %g from scratch, %g from a sample", a, b)
	}
	if ends[0].Number <= ends[1].Number {
		t.Errorf("%d iterations from scratch, %d from a sample", ends[0].Number, ends[1].Number)
	}
}

func TestModelOfASampledTrainingDoesNotDependOnWorkers(t *testing.T) {
	docs, o := manyNotes(), sampledOptions
	o.MaxIterations = 3
	var models [][]byte
	for _, o.Workers = range []int{1, 2, 8} {
		began := 0
		o.Trace.SampleStart = func() { began++ }
		m, _ := train(t, docs, o)
		if models = append(models, encoded(t, m)); began != 1 {
			t.Errorf("%d samples", began)
		}
	}
	for i, m := range models {
		if !slices.Equal(m, models[0]) {
			t.Errorf("model %d differs", i)
		}
	}
}

func TestCancelEndsASample(t *testing.T) {
	docs, o := manyNotes(), sampledOptions
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	evaluations, ended := 0, 0
	o.Trace = Trace{SampleStart: cancel, SampleEnd: func() { ended++ }, EvaluationStart: func() { evaluations++ }}
	if _, _, err := Train(ctx, views(docs), o); !errors.Is(err, context.Canceled) || evaluations != 0 || ended != 1 {
		t.Errorf("%d evaluations after a cancelled sample, which ended %d times, error %v", evaluations, ended, err)
	}
}

func TestOnlyLargeTrainingsFromNothingBeginWithASample(t *testing.T) {
	began := 0
	o := sampledOptions
	o.MaxIterations = 2
	o.Trace.SampleStart = func() { began++ }
	docs := manyNotes()
	few := make([]sequence, 0, 100) // documents, of the same words
	for part := range slices.Chunk(docs, len(docs)/100) {
		var d sequence
		for _, p := range part {
			d.words, d.labels = append(d.words, p.words...), append(d.labels, p.labels...)
		}
		few = append(few, d)
	}
	train(t, docs[:1000], o)
	train(t, few, o)
	if began != 0 {
		t.Errorf("%d samples of small trainings", began)
	}
	trainer, err := NewTrainer(o)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, _, err := trainer.Train(t.Context(), views(docs)); err != nil {
			t.Fatal(err)
		}
		trainer.corpus.extracted *= 10 // the third training renumbers everything
	}
	if began != 1 {
		t.Errorf("%d samples in three trainings of one trainer", began)
	}
}
