// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/crf/classes"
)

// foreign are the documents with other everyday words, which are not English.
func foreign(docs []sequence) []sequence {
	out := slices.Clone(docs)
	for i, d := range docs {
		out[i].words = slices.Clone(d.words)
		for t, w := range d.words {
			if classOf(w) == small {
				out[i].words[t] = w + "ñoa"
			}
		}
	}
	return out
}

// withoutCard is the file of the model with an empty card.
func withoutCard(t *testing.T, m *Model) []byte {
	t.Helper()
	m, err := m.WithCard(Card{})
	if err != nil {
		t.Fatal(err)
	}
	return encoded(t, m)
}

func TestEnglishClassesAreLeftOutWhereNotesAreNotEnglish(t *testing.T) {
	english, _ := notes(3, 12)
	docs := foreign(english)
	own, err := classes.New([]classes.Entry{{Word: "painñoa", Code: "0"}, {Word: "feverñoa", Code: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	builtin := classes.Builtin()
	for _, test := range []struct {
		name        string
		docs        []sequence
		asked, same Options
		left        bool
	}{
		{"English", english, Options{}, Options{Classes: []*classes.Table{builtin}}, false},
		{"foreign", docs, Options{}, Options{Features: Default &^ Classes}, true},
		{"foreign, two passes", docs, Options{Features: Thorough}, Options{Features: Thorough &^ Classes}, true},
		{"English, own", english, Options{Classes: []*classes.Table{nil, own}}, Options{Classes: []*classes.Table{builtin, own}}, false},
		{"foreign, own", docs, Options{Classes: []*classes.Table{nil, own}}, Options{Classes: []*classes.Table{own}}, true},
	} {
		test.asked.MaxIterations, test.same.MaxIterations = 4, 4
		got, _ := train(t, test.docs, test.asked)
		want, _ := train(t, test.docs, test.same)
		if !bytes.Equal(withoutCard(t, got), withoutCard(t, want)) || got.Card().Features.NotEnglish != test.left {
			t.Errorf("%s: the model is not the one without tables that do not suit (left out: %t)", test.name, got.Card().Features.NotEnglish)
		}
	}
	asked, _ := train(t, docs, Options{Classes: []*classes.Table{builtin}, MaxIterations: 4})
	without, _ := train(t, docs, Options{Features: Default &^ Classes, MaxIterations: 4})
	if asked.Features()&Classes == 0 || asked.Weights() <= without.Weights() {
		t.Error("a table that was asked for is left out")
	}
}

func TestTrainersAndLibrariesFollowTheLanguage(t *testing.T) {
	english, _ := notes(4, 40)
	docs, r := foreign(english), rand.New(rand.NewPCG(5, 6))
	o := Options{MaxIterations: 3}
	trainer, err := NewTrainer(o)
	if err != nil {
		t.Fatal(err)
	}
	l := library(t, o)
	for _, share := range []float64{1, 0, 0.1, 0.9} {
		var given []sequence
		for i := range docs {
			if r.Float64() < share {
				given = append(given, docs[i])
			} else {
				given = append(given, english[i])
			}
		}
		want, _ := train(t, given, o)
		if uses := want.Features()&Classes != 0; uses != (share < 0.5) {
			t.Errorf("with %g of the notes foreign, the model uses English classes: %t", share, uses)
		}
		again, _, err := trainer.Train(t.Context(), views(given))
		if err != nil || again.Features() != want.Features() {
			t.Errorf("a trainer that goes on uses %v, %v", again.Features(), err)
		}
		got, _, err := l.Train(t.Context(), views(given))
		if err != nil || !bytes.Equal(encoded(t, got), encoded(t, want)) {
			t.Errorf("with %g of the notes foreign, a library has another model, %v", share, err)
		}
		p, _, err := l.Label(t.Context(), got, views(given[:3]))
		for i := range p {
			if err != nil || !slices.Equal(p[i], want.Sensitive(given[i].view())) {
				t.Errorf("a library labels otherwise, %v", err)
			}
		}
	}
}
