// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// desk is a collection of documents during annotation: documents come, go, and get
// other labels, patients and identifiers, and a trainer follows.
type desk struct {
	*rand.Rand
	docs    []sequence
	labels  int // in use
	written int // documents created so far
	steps   int
	looks   int64 // calls of ctx.Err by a training
}

// scribble returns a document of a few words, many of them frequent.
func (d *desk) scribble(words int) sequence {
	d.written++
	doc := sequence{}
	for i := range words {
		word := fmt.Sprintf("%c%d", 'a'+d.IntN(8), d.IntN(9))
		switch {
		case d.IntN(12) == 0:
			word = fmt.Sprint("Quux", d.written, "x", i)
		case d.IntN(6) == 0:
			word = []string{"Ana", "Ruiz", ":", "41", "Dr", "."}[d.IntN(6)]
		}
		doc.words = append(doc.words, word)
	}
	d.relabel(&doc)
	if d.IntN(2) == 0 {
		doc.group = fmt.Sprint("p", d.IntN(9))
	}
	return doc
}

func (d *desk) relabel(doc *sequence) {
	doc.labels, doc.begins = make([]annotate.Label, len(doc.words)), make([]bool, len(doc.words))
	for i := range doc.words {
		if d.IntN(5) == 0 {
			doc.labels[i], doc.begins[i] = annotate.Label(rune('A'+d.IntN(d.labels))), d.IntN(2) == 0
		}
	}
}

func (d *desk) skip(doc *sequence) {
	doc.skip = make([]bool, len(doc.words))
	for i := range doc.skip {
		doc.skip[i] = d.IntN(4) == 0
	}
}

// some returns a random document.
func (d *desk) some() *sequence { return &d.docs[d.IntN(len(d.docs))] }

// work makes a random change.
func (d *desk) work() (what string) {
	add := func(docs ...sequence) { d.docs = append(d.docs, docs...) }
	works := []struct {
		what string
		do   func()
	}{
		{"nothing", func() {}},
		{"one is gone", func() { d.docs = slices.Delete(d.docs, 3, 4) }},
		{"another has other labels", func() { d.relabel(d.some()) }},
		{"another patient", func() { d.some().group = fmt.Sprint("p", d.IntN(9)) }},
		{"other identifiers", func() { d.some().known = []string{"Ana Ruiz", fmt.Sprint("a", d.IntN(9))} }},
		{"one is skipped in part", func() { d.skip(d.some()) }},
		{"another order", func() { d.Shuffle(len(d.docs), func(i, j int) { d.docs[i], d.docs[j] = d.docs[j], d.docs[i] }) }},
		{"one twice", func() { add(*d.some()) }},
		{"the words of one, labelled otherwise", func() { doc := *d.some(); d.relabel(&doc); add(doc) }},
		{"an empty one", func() { add(sequence{}) }},
		{"many", func() { add(d.scribble(30), d.scribble(1), d.scribble(30)) }},
		{"another label", func() {
			d.labels++
			doc := d.scribble(4)
			doc.labels[1] = annotate.Label(rune('A' + d.labels - 1))
			add(doc)
		}},
	}
	if n := d.IntN(2 * len(works)); n < len(works) {
		works[n].do()
		return works[n].what
	}
	add(d.scribble(1 + d.IntN(6)))
	return "one more"
}

// named identifies a weight by its meaning: an attribute and a state, or a transition.
type named struct {
	attribute string
	state     int
}

// meanings returns the meaning of each weight of a dataset.
func meanings(d *dataset, names []string) []named {
	m := make([]named, d.weights())
	for k := range m {
		m[k].state = k
	}
	for a, number := range d.attributes {
		for k := d.rows[a]; k < d.rows[a+1]; k++ {
			m[k] = named{names[number], int(d.pairs[k])}
		}
	}
	return m
}

// plain computes the objective of some documents directly, with a new corpus of only
// these documents.
type plain struct {
	pass  *pass[float64]
	place map[named]int
}

func newPlain(t *testing.T, docs []sequence, o Options, g *gazetteer) plain {
	t.Helper()
	c := newCorpus(o.Features, g)
	seen, err := c.look(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDataset(t.Context(), &c.collector, docs, seen, states{labels: labelsOf(docs), free: o.AnyTransition}, o)
	if err != nil {
		t.Fatal(err)
	}
	p := plain{newPass[float64](d, o), map[named]int{}}
	for k, m := range meanings(d, c.collector.names) {
		if k < d.states.transitions() || d.pairs[k] != noState {
			p.place[m] = k
		}
	}
	return p
}

// check compares a training's dataset and an evaluation with the direct ones. It
// returns the gradient.
func (p plain) check(t *testing.T, f *fitting, w []float32, evaluate func(context.Context, []float32, []float32) (float64, error)) []float32 {
	t.Helper()
	q, to := f.data, map[int]int{}
	x, h, gradient := make([]float64, p.pass.data.weights()), make([]float64, p.pass.data.weights()), make([]float32, len(w))
	for k, m := range meanings(q, f.names) {
		if k >= q.states.transitions() && q.pairs[k] == noState {
			continue
		}
		at, known := p.place[m]
		if _, twice := to[at]; !known || twice {
			t.Fatalf("weight of %v: known %t, twice %t", m, known, twice)
		}
		to[at], x[at] = k, float64(w[k])
	}
	if n, m := q.attributesNumber(), p.pass.data.attributesNumber(); len(to) != len(p.place) || n != m {
		t.Fatalf("%d weights of %d attributes, renumbered %d of %d", len(to), n, len(p.place), m)
	}
	got, err := evaluate(t.Context(), w, gradient)
	want, err2 := p.pass.evaluate(t.Context(), x, h)
	if err != nil || err2 != nil || !near(got, want, 1e-5) {
		t.Fatalf("the objective is %g, renumbered %g (%v, %v)", got, want, err, err2)
	}
	for at, k := range to {
		if !near(float64(gradient[k]), h[at], 2e-3) {
			t.Fatalf("derivative %d is %g, renumbered %g", k, gradient[k], h[at])
		}
	}
	return gradient
}

// follow trains on the current documents, and compares each step with the direct
// objective.
func follow(t *testing.T, trainer *Trainer, docs []sequence) (m *Model, revised bool) {
	t.Helper()
	o := trainer.options
	if o.Features&Consistency != 0 {
		var err error
		if trainer.first, docs, err = trainer.firstPass(t.Context(), docs); err != nil {
			t.Fatal(err)
		}
	}
	ready, err := prepared(docs, o)
	if err != nil {
		t.Fatal(err)
	}
	f := fitting{options: o, gazette: trainer.gazette, first: trainer.first, took: o.Stopwatch(), room: &trainer.room}
	k, err := trainer.number(t.Context(), ready, &f)
	if err != nil {
		t.Fatal(err)
	}
	f.names = trainer.corpus.collector.names
	p := newPlain(t, ready, o, trainer.gazette)
	if f.begin != nil {
		w := make([]float32, f.data.weights())
		if _, err := k.start(t.Context(), trainer.last, w); err != nil {
			t.Fatal(err)
		}
		p.check(t, &f, w, f.begin)
	}
	if m, _, err = trainer.learn(t.Context(), &f, k); err != nil {
		t.Fatal(err)
	}
	gradient := p.check(t, &f, trainer.last.w, f.pass.evaluate)
	if trainer.kept != nil {
		for i, g := range trainer.kept.gradient {
			if !near(float64(g), float64(gradient[i]), 1e-3) {
				t.Fatalf("derivative %d is kept as %g, want %g", i, g, gradient[i])
			}
		}
	}
	return m, f.begin != nil
}

// simulations are options that choose weights differently, each with the number of
// documents to begin with.
var simulations = map[string]struct {
	docs int
	Options
}{
	"observed":       {40, Options{Features: HIDE, Pairs: Observed, AnyTransition: true, Workers: 2}},
	"observed bio":   {40, Options{Features: HIDE, Pairs: Observed, Workers: 8}},
	"all":            {40, Options{Features: HIDE, Pairs: All}},
	"default":        {30, Options{Features: Default &^ (List | Member), Workers: 2}},
	"words left out": {40, Options{Features: HIDE, Sampling: Sampling{O: 0.7, Cost: map[annotate.Label]float64{"A": 2}}, Workers: 2}},
	"rare":           {40, Options{Features: HIDE, MinCount: 3, MinDocuments: 4, Workers: 8}},
	"few groups":     {8, Options{Features: HIDE, MinDocuments: 2}},
	"absolute":       {40, Options{Features: HIDE, L1: 0.05, Workers: 2}},
	"folded":         {40, Options{Binary: true, Dictionaries: []dictionary.List{{Name: "names", Phrases: []string{"Ana Ruiz", "Quux"}}}, Features: HIDE}},
	"two passes":     {12, Options{Features: HIDE | Consistency}},
}

func TestTrainerFollowsWhateverHappensToTheDocuments(t *testing.T) {
	for name, s := range simulations {
		t.Run(name, func(t *testing.T) {
			d := &desk{Rand: rand.New(rand.NewPCG(61, 1)), labels: 2}
			for range s.docs {
				d.docs = append(d.docs, d.scribble(12))
			}
			s.MaxIterations = 3
			trainer, err := NewTrainer(s.Options)
			if err != nil {
				t.Fatal(err)
			}
			revised, m := 0, (*Model)(nil)
			for what := "at first"; d.steps < 16; what = d.work() {
				d.interrupt(t, trainer)
				t.Log(what)
				var begun bool
				if m, begun = follow(t, trainer, d.docs); begun {
					revised++
				}
			}
			if _, err := Decode(bytes.NewReader(encoded(t, m))); err != nil {
				t.Error(err)
			}
			if revised < 2 && s.docs == 40 {
				t.Errorf("only %d evaluations were revised", revised)
			}
		})
	}
}

// interrupt makes the trainer sometimes fail, be cancelled at a random time, or lose
// its data.
func (d *desk) interrupt(t *testing.T, trainer *Trainer) {
	d.steps++
	switch d.IntN(10) {
	case 0, 1, 2:
		ctx := newCountdown(t, d.looks*int64(d.IntN(100))/100)
		if _, _, err := trainer.Train(ctx, views(d.docs)); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	case 3:
		if _, _, err := trainer.Train(t.Context(), views(append(slices.Clone(d.docs), sequence{words: []string{"one"}, skip: []bool{false, false}}))); err == nil {
			t.Fatal("the training did not fail")
		}
	case 4:
		trainer.corpus.extracted *= 1_000_000
	case 5:
		ctx := newCountdown(t, math.MaxInt64)
		if _, _, err := trainer.Train(ctx, views(d.docs)); err != nil {
			t.Fatal(err)
		}
		d.looks = ctx.asked.Load()
	}
}
