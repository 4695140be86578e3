// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
)

// nearby is the local problem at some weights, for notes of which the last is new.
func nearby(t *testing.T, o Options) (*local, *pass[float32], []float32, []float32) {
	t.Helper()
	docs, _ := notes(40, 60)
	d := datasetOf(t, docs, o)
	p := newPass[float32](d, o.withDefaults())
	r := rand.New(rand.NewPCG(40, 1))
	w, gradient := make([]float32, d.weights()), make([]float32, d.weights())
	for k := range w {
		if k >= len(p.frozen) || !p.frozen[k] {
			w[k] = float32(r.NormFloat64()) / 4
		}
	}
	if _, err := p.evaluate(t.Context(), w, gradient); err != nil {
		t.Fatal(err)
	}
	l, err := newLocal(t.Context(), p, []int{len(docs) - 1}, w, gradient)
	if l == nil || err != nil {
		t.Fatalf("newLocal found nothing to do: %v", err)
	}
	return l, p, w, gradient
}

func TestLocalSearchBeginsAsTheObjectiveDoes(t *testing.T) {
	for _, o := range []Options{{Features: HIDE, Pairs: Observed}, {Pairs: All}, {Features: HIDE, Pairs: Observed, AnyTransition: true}} {
		l, _, _, gradient := nearby(t, o)
		slope := make([]float32, len(l.weights))
		f, err := l.evaluate(t.Context(), make([]float32, len(l.weights)), slope)
		if err != nil || !near(f, 0, 1e-4) {
			t.Errorf("no step changes the objective by %g (%v)", f, err)
		}
		for i, k := range l.weights {
			if !near(float64(slope[i]), float64(gradient[k]), 1e-3) {
				t.Fatalf("the slope along weight %d is %g, want %g", k, slope[i], gradient[k])
			}
		}
	}
}

func TestLocalGradientIsThatOfItsValue(t *testing.T) {
	l, _, _, _ := nearby(t, Options{Features: HIDE, Pairs: Observed})
	r := rand.New(rand.NewPCG(41, 1))
	at, along, gradient := make([]float32, len(l.weights)), make([]float32, len(l.weights)), make([]float32, len(l.weights))
	for i := range at {
		at[i], along[i] = float32(r.NormFloat64())/10, float32(r.NormFloat64())/10
	}
	value := func(step float32) float64 {
		x := slices.Clone(at)
		for i := range x {
			x[i] += step * along[i]
		}
		f, err := l.evaluate(t.Context(), x, gradient)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	const h = 1.0 / 16
	difference := (value(h) - value(-h)) / (2 * h)
	value(0)
	slope := 0.0
	for i, g := range gradient {
		slope += float64(g) * float64(along[i])
	}
	if !near(slope, difference, 1e-2) {
		t.Errorf("the slope is %g, differences say %g", slope, difference)
	}
}

// Training on one more document takes hardly more than two evaluations over all of
// them.
func TestTrainerLeapsToWhereANewDocumentLeads(t *testing.T) {
	docs, _ := notes(42, 120)
	last := &docs[len(docs)-1]
	for i, label := range last.labels {
		if label == "" && i%9 == 0 { // names that are not in the other documents
			last.words[i], last.labels[i] = fmt.Sprint("Quux", i), "NAME"
		}
	}
	var steps []Iteration
	o := Options{Features: HIDE, Pairs: Observed, C2: 1, Tolerance: 1e-6, MaxIterations: 500}
	_, cold := train(t, docs, o)
	var models [][]byte
	for _, workers := range []int{1, 2, 8} {
		o.Workers, steps = workers, nil
		trainer, err := NewTrainer(o)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := trainer.Train(t.Context(), views(docs[:len(docs)-1])); err != nil {
			t.Fatal(err)
		}
		trainer.Progress = func(i Iteration) { steps = append(steps, i) }
		m, stats, err := trainer.Train(t.Context(), views(docs))
		if err != nil {
			t.Fatal(err)
		}
		if first := steps[0]; first.Evaluations != 2 || !near(first.Objective, cold.Objective, 0.05) {
			t.Errorf("after %d evaluations the objective is %g, the best is %g", first.Evaluations, first.Objective, cold.Objective)
		}
		if !near(stats.Objective, cold.Objective, 2e-5) {
			t.Errorf("it ends at %g, a training from scratch at %g", stats.Objective, cold.Objective)
		}
		models = append(models, encoded(t, m))
	}
	for _, m := range models {
		if !bytes.Equal(m, models[0]) {
			t.Error("the result depends on the number of workers")
		}
	}
}

func TestDocumentsThatAreNewOrHaveOtherLabelsAreFresh(t *testing.T) {
	docs, _ := notes(43, 12)
	trainer, err := NewTrainer(Options{MaxIterations: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := trainer.Train(t.Context(), views(docs[:11])); err != nil {
		t.Fatal(err)
	}
	docs[4].labels = make([]annotate.Label, len(docs[4].words))
	f := fitting{options: trainer.options}
	if _, err := trainer.number(t.Context(), docs, &f); err != nil {
		t.Fatal(err)
	}
	if got := trainer.last.fresh(f.docs); !slices.Equal(got, []int{4, 11}) {
		t.Errorf("documents %v are fresh, want 4 and 11", got)
	}
}
