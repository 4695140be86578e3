// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// hidden is a document in which some words are a placeholder.
func hidden(r *rand.Rand, d sequence) sequence {
	d.words, d.labels = slices.Clone(d.words), slices.Clone(d.labels)
	for t := range d.words {
		if d.labels[t] != "" && r.IntN(2) == 0 || r.IntN(100) == 0 {
			d.words[t], d.labels[t] = "[NAME]", ""
		}
	}
	return d
}

// lot is a random part of random documents, some with masks.
func lot(r *rand.Rand, docs []sequence) []sequence {
	var some []sequence
	for _, d := range docs {
		switch r.IntN(4) {
		case 0:
			some = append(some, d)
		case 1:
			some = append(some, hidden(r, d))
		}
	}
	return some
}

func library(t *testing.T, o Options) *Library {
	t.Helper()
	l, err := NewLibrary(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLibraryTrainsAndTagsToTheBitWithWhateverItHasSeen(t *testing.T) {
	docs, _ := notes(6, 24)
	for _, o := range []Options{{MaxIterations: 4}, {MaxIterations: 3, Features: HIDE}, {Learner: Bayes}, {MaxIterations: 2, Features: Thorough}} {
		r, l := rand.New(rand.NewPCG(3, uint64(o.Features))), library(t, o)
		for range 4 {
			given, asked := lot(r, docs), append(lot(r, docs), sequence{})
			got, _, err := l.Train(t.Context(), views(given))
			if err != nil {
				t.Fatal(err)
			}
			want, _ := train(t, given, o)
			if !bytes.Equal(encoded(t, got), encoded(t, want)) {
				t.Fatalf("%v %q: the model differs from the one without a library", o.Features, o.Learner)
			}
			p, inside, err := l.Label(t.Context(), got, views(asked))
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range asked {
				if !slices.Equal(p[i], want.Sensitive(d.view())) || !slices.Equal(inside[i], insideOf(want, d)) {
					t.Fatalf("%v %q: document %d has other labels than without a library", o.Features, o.Learner, i)
				}
			}
		}
	}
}

// insideOf returns which tokens are in the spans of Tag.
func insideOf(m *Model, d sequence) []bool {
	in := make([]bool, len(d.words))
	for _, s := range m.Tag(d.view()) {
		for t, token := range d.tokens {
			in[t] = in[t] || token.Start >= s.Span.Start && token.End <= s.Span.End
		}
	}
	return in
}

func TestLibraryForgetsAndLabelsOn(t *testing.T) {
	docs, _ := notes(6, 20)
	l := library(t, Options{MaxIterations: 2})
	m, _, err := l.Train(t.Context(), views(docs))
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := l.Label(t.Context(), m, views(docs))
	if len(l.models) != 1 || len(l.corpus.documents) != len(docs) {
		t.Errorf("%d models and %d documents are known", len(l.models), len(l.corpus.documents))
	}
	for range shelved + 1 {
		if _, _, err := l.Label(t.Context(), m, views(docs[:3])); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(l.corpus.documents); n != 3 {
		t.Errorf("%d documents are remembered", n)
	}
	l.Close()
	if len(l.models)+len(l.corpus.documents) != 0 {
		t.Error("documents are kept after Close")
	}
	after, _, err := l.Label(t.Context(), m, views(docs))
	if err != nil {
		t.Fatal(err)
	}
	for i := range docs {
		if !slices.Equal(before[i], after[i]) {
			t.Fatalf("document %d has other probabilities after the library dropped its data", i)
		}
	}
}

func TestLibraryServesSeveralAtATime(t *testing.T) {
	docs, _ := notes(6, 30)
	o := Options{MaxIterations: 2, Workers: 1}
	l := library(t, o)
	var wait sync.WaitGroup
	for k := range 6 {
		given := append(slices.Clone(docs[:5*k]), docs[5*k+5:]...)
		wait.Go(func() {
			m, _, err := l.Train(t.Context(), views(given))
			if err != nil {
				t.Error(err)
				return
			}
			if want, _, _ := Train(t.Context(), views(given), o); !bytes.Equal(encoded(t, m), encoded(t, want)) {
				t.Errorf("training %d: the model differs when trained concurrently", k)
			}
			if _, _, err := l.Label(t.Context(), m, views(docs[5*k:5*k+5])); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

func TestLibraryHeedsItsContextAndOptions(t *testing.T) {
	docs, _ := notes(6, 5)
	l := library(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.Train(ctx, views(docs)); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if _, _, err := l.Train(t.Context(), views(nil)); !errors.Is(err, ErrNothing) {
		t.Errorf("error without documents is %v", err)
	}
	if _, err := NewLibrary(Options{C2: -1}); err == nil {
		t.Error("a negative penalty was accepted")
	}
}
