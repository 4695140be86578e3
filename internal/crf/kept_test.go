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

// grown returns a trainer that was trained on all documents but some, then on each of
// these in turn, and the fitting for the next training on all.
func grown(t *testing.T, docs []sequence, late int, o Options) (*Trainer, *fitting, *kept) {
	t.Helper()
	trainer, err := NewTrainer(o)
	if err != nil {
		t.Fatal(err)
	}
	for n := len(docs) - late; n < len(docs); n++ {
		if _, _, err := trainer.Train(t.Context(), views(docs[:n])); err != nil {
			t.Fatal(err)
		}
	}
	f := fitting{options: trainer.options}
	ready, err := prepared(docs, f.options)
	if err != nil {
		t.Fatal(err)
	}
	k, err := trainer.number(t.Context(), ready, &f)
	if err != nil {
		t.Fatal(err)
	}
	return trainer, &f, k
}

// anew returns a dataset of the same documents built from scratch, and the index there
// of each weight of the grown dataset.
func anew(t *testing.T, trainer *Trainer, f *fitting) (*dataset, []int32) {
	t.Helper()
	c, old := &trainer.corpus.collector, f.data
	docs, seen := make([]sequence, len(f.docs)), make([]*occurrences, len(f.docs))
	for i, d := range f.docs {
		docs[i], seen[i] = sequence{words: make([]string, d.seen.bundles.len()), skip: d.skip, group: d.group}, d.seen
		docs[i].labels, docs[i].begins = make([]annotate.Label, len(docs[i].words)), make([]bool, len(docs[i].words))
		at := 0
		for w := range docs[i].words {
			if docs[i].skips(w) {
				continue
			}
			if state := int(d.gold[at]); state > 0 {
				docs[i].labels[w], docs[i].begins[w] = old.states.labels[old.states.label(state)], old.states.begins(state)
			}
			at++
		}
	}
	d, err := newDataset(t.Context(), c, docs, seen, states{labels: old.states.labels, free: old.states.free}, f.options)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.gold, old.gold) || !slices.Equal(d.docs, old.docs) {
		t.Fatal("the documents differ")
	}
	var had entries
	had.add(d.attributes, len(c.names))
	place := map[[2]int32]int32{}
	for a, number := range d.attributes {
		for k := d.rows[a]; k < d.rows[a+1]; k++ {
			place[[2]int32{number, int32(d.pairs[k])}] = k
		}
	}
	to := make([]int32, old.weights())
	for arc := range d.states.transitions() {
		to[arc] = int32(arc)
	}
	for e, number := range old.attributes {
		for k := old.rows[e]; k < old.rows[e+1]; k++ {
			at, known := place[[2]int32{number, int32(old.pairs[k])}]
			if !known {
				t.Fatalf("%s has a weight for state %d that is missing after renumbering", c.names[number], old.pairs[k])
			}
			to[k] = at
		}
	}
	if n, m := old.weights()-old.padding, d.weights()-d.padding; n != m {
		t.Fatalf("%d weights, after renumbering %d", n, m)
	}
	if n, m := old.attributesNumber(), d.attributesNumber(); n != m {
		t.Fatalf("%d attributes, after renumbering %d", n, m)
	}
	return d, to
}

// growing returns documents that can arrive late: some have shared words, names of
// their own, or shared words with other labels.
func growing(seed uint64, many bool) []sequence {
	docs, _ := notes(seed, 90)
	if many {
		docs = manyLabels(docs)
	}
	for i := range docs {
		if i%3 == 0 {
			docs[i].group = fmt.Sprint(i % 30)
		}
	}
	for n, d := range docs[len(docs)-3:] {
		for i, label := range d.labels {
			switch {
			case label == "" && i%11 == n:
				d.words[i] = fmt.Sprint("Quux", i/2)
			case label == "" && i%13 == n && i > 0 && d.labels[i-1] == "":
				d.labels[i] = docs[0].labels[slices.IndexFunc(docs[0].labels, func(l annotate.Label) bool { return l != "" })]
			}
		}
	}
	return docs
}

var growths = map[string]Options{
	"observed":       {Features: HIDE, Pairs: Observed, AnyTransition: true, MaxIterations: 3},
	"observed bio":   {Features: HIDE, Pairs: Observed, MaxIterations: 3},
	"all":            {Features: HIDE, Pairs: All, MaxIterations: 3},
	"default":        {MaxIterations: 3},
	"words left out": {Features: HIDE, Sampling: Sampling{O: 0.7}, MaxIterations: 3},
	"rare":           {MinCount: 3, MinDocuments: 4, MaxIterations: 3},
}

func TestGrownDatasetHasTheObjectiveOfOneMadeAnew(t *testing.T) {
	for name, o := range growths {
		for _, many := range []bool{false, true} {
			for late := 1; late <= 2; late++ {
				trainer, f, k := grown(t, growing(50, many), late, o)
				if k == nil || f.data.late == nil {
					t.Fatalf("%s, many labels %t: the dataset was rebuilt", name, many)
				}
				d, to := anew(t, trainer, f)
				p, q := f.pass, newPass[float64](d, f.options)
				r := rand.New(rand.NewPCG(51, 1))
				w, x := make([]float32, f.data.weights()), make([]float64, d.weights())
				for i := range w {
					if i < len(p.frozen) && p.frozen[i] || i >= len(p.frozen) && f.data.pairs[i] == noState {
						continue
					}
					w[i] = float32(r.NormFloat64()) / 4
					x[to[i]] = float64(w[i])
				}
				g, h := make([]float32, len(w)), make([]float64, len(x))
				got, err := p.evaluate(t.Context(), w, g)
				want, err2 := q.evaluate(t.Context(), x, h)
				if err != nil || err2 != nil || !near(got, want, 1e-5) {
					t.Errorf("%s, many labels %t: the objective is %g, rebuilt %g (%v, %v)", name, many, got, want, err, err2)
				}
				for i := range g {
					if (i < len(p.frozen) || f.data.pairs[i] != noState) && !near(float64(g[i]), h[to[i]], 1e-3) {
						t.Fatalf("%s, many labels %t: derivative %d is %g, rebuilt %g", name, many, i, g[i], h[to[i]])
					}
				}
			}
		}
	}
}

// The kept results of the last evaluation, plus those of the new document, equal an
// evaluation of all documents.
func TestRevisedEvaluationIsAnEvaluation(t *testing.T) {
	revised := 0
	for name, o := range growths {
		for _, many := range []bool{false, true} {
			for late := 1; late <= 2; late++ {
				trainer, f, k := grown(t, growing(52, many), late, o)
				w := make([]float32, f.data.weights())
				if _, err := k.start(t.Context(), trainer.last, w); err != nil {
					t.Fatal(err)
				}
				if f.begin == nil {
					continue
				}
				revised++
				g, h := make([]float32, len(w)), make([]float32, len(w))
				got, err := f.begin(t.Context(), w, g)
				want, err2 := f.pass.evaluate(t.Context(), w, h)
				if err != nil || err2 != nil || !near(got, want, 1e-6) {
					t.Errorf("%s, many labels %t: the objective is %g, evaluated %g (%v, %v)", name, many, got, want, err, err2)
				}
				for i := range g {
					if !near(float64(g[i]), float64(h[i]), 1e-3) {
						t.Fatalf("%s, many labels %t: derivative %d is %g, evaluated %g", name, many, i, g[i], h[i])
					}
				}
			}
		}
	}
	if revised < len(growths) {
		t.Errorf("only %d evaluations were revised", revised)
	}
}

// A trainer that gets one document at a time ends at the same optimum as one that gets
// all at once, for any order of the documents.
func TestTrainerThatGrewEndsWhereAColdOneDoes(t *testing.T) {
	for _, name := range []string{"observed", "default", "words left out"} {
		o := growths[name]
		o.Tolerance, o.MaxIterations = 1e-7, 500
		docs := growing(53, name != "default")
		_, cold := train(t, docs, o)
		trainer, stats := grow(t, docs, o)
		if trainer.kept == nil || len(trainer.kept.docs) != len(docs) || trainer.kept.pass.data.late == nil {
			t.Errorf("%s: its data were rebuilt", name)
		}
		if !near(stats.Objective, cold.Objective, 1e-4) || stats.Weights != cold.Weights || stats.Attributes != cold.Attributes || stats.Tokens != cold.Tokens {
			t.Errorf("%s: it ends with %+v, a cold one with %+v", name, stats, cold)
		}
	}
}

// grow trains on all documents but two, and adds one after the other.
func grow(t *testing.T, docs []sequence, o Options) (*Trainer, Stats) {
	t.Helper()
	trainer, err := NewTrainer(o)
	if err != nil {
		t.Fatal(err)
	}
	var stats Stats
	for n := len(docs) - 2; n <= len(docs); n++ {
		part := slices.Clone(docs[:n])
		slices.Reverse(part[n/2:])
		if _, stats, err = trainer.Train(t.Context(), views(part)); err != nil {
			t.Fatal(err)
		}
	}
	return trainer, stats
}

func TestGrownTrainerDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	for _, name := range []string{"all", "default", "words left out"} {
		o, docs := growths[name], growing(53, name != "all")
		var first []byte
		for _, workers := range []int{1, 2, 8} {
			o.Workers = workers
			trainer, _ := grow(t, docs, o)
			m, _, err := trainer.Train(t.Context(), views(docs))
			if err != nil {
				t.Fatal(err)
			}
			file := encoded(t, m)
			if first == nil {
				first = file
			}
			if _, err := Decode(bytes.NewReader(file)); err != nil || !bytes.Equal(file, first) {
				t.Errorf("%s, %d workers: the model differs, or cannot be read again: %v", name, workers, err)
			}
		}
	}
}

// If documents are gone, have other labels, or are many, the dataset is rebuilt and the
// weights are kept. A few new documents are added to the existing data.
func TestTrainerNumbersAnewWhatHasChanged(t *testing.T) {
	docs := growing(54, false)
	o := Options{Features: HIDE, Tolerance: 1e-7, MaxIterations: 500}
	relabelled := slices.Clone(docs)
	relabelled[3].labels = make([]annotate.Label, len(docs[3].words))
	cold := func(part []sequence) Stats {
		_, stats := train(t, part, o)
		return stats
	}
	most, all := cold(docs[:89]), cold(docs)
	for name, change := range map[string]struct {
		docs       []sequence
		anew, back bool // whether the change causes renumbering, and whether undoing it does
	}{
		"one is gone":          {docs[1:], true, false},
		"one has other labels": {relabelled, true, true},
		"many are new":         {append(slices.Clone(docs), docs[:20]...), true, true},
		"a label is new":       {append(slices.Clone(docs), manyLabels(docs[5:6])...), true, true},
		"one comes twice":      {append(slices.Clone(docs), docs[5]), false, true},
	} {
		trainer, err := NewTrainer(o)
		if err != nil {
			t.Fatal(err)
		}
		for i, step := range []struct {
			docs []sequence
			want Stats
			anew bool
		}{{docs[:89], most, true}, {docs, all, false}, {change.docs, cold(change.docs), change.anew}, {docs, all, change.back}} {
			_, stats, err := trainer.Train(t.Context(), views(step.docs))
			if err != nil {
				t.Fatal(err)
			}
			if want := step.want; !near(stats.Objective, want.Objective, 1e-4) || stats.Weights != want.Weights || stats.Documents != want.Documents {
				t.Errorf("%s: it ends with %+v, a cold one with %+v", name, stats, want)
			}
			if anew := trainer.kept == nil || trainer.kept.pass.data.late == nil; anew != step.anew {
				t.Errorf("%s, training %d: renumbered %t", name, i, anew)
			}
		}
	}
}
