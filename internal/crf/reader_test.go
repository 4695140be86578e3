// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// scrawl is a note of what features look at.
func scrawl(r *rand.Rand, pieces int) annotate.Note {
	words := []string{"Dr. Ana Ruiz", "Mme", "seen by", "Smith, MD", "New York", "the", "smith", "Age: 91", "PLAN:", "HISTORY", "12/03/1984", "3 March 2024",
		"(404) 555-1234", "a@b.org", "x9", "MRN 123456", "de la Cruz", "Álvarez", "1.5", "-", "Edad: 41 años", "May", "may", "#BC-654321", "10:30", "NY 10001", "John's"}
	var b strings.Builder
	for range pieces {
		w := words[r.IntN(len(words))]
		if r.IntN(8) == 0 {
			w = fmt.Sprint(string(rune('A'+r.IntN(26))), "ord", r.IntN(40))
		}
		b.WriteString(w)
		b.WriteString([]string{" ", " ", " ", "", "\n", "\n\n", ", "}[r.IntN(7)])
	}
	n := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: b.String()}})
	if r.IntN(3) == 0 {
		n.Known, n.Identities = []string{"Ana Ruiz", "123456"}, []annotate.Identity{{Label: "NAME", Value: "John Smith"}}
	}
	return n
}

// someView hides some words of a note, or none.
func someView(r *rand.Rand, n *annotate.Note) annotate.View {
	v := annotate.View{Note: n}
	if r.IntN(2) == 0 {
		v.Redacted = make([]bool, len(n.Words))
		for i := range v.Redacted {
			v.Redacted[i] = r.IntN(9) == 0
		}
	}
	return v
}

// readingModels are models that share lists, and models that do not.
func readingModels(t *testing.T) map[string]*Model {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var docs []sequence
	for range 12 {
		n := scrawl(r, 30)
		d := unlabelled(n.View())
		d.labels = make([]annotate.Label, len(d.words))
		for i, w := range d.words {
			switch classOf(w) {
			case title:
				d.labels[i] = "NAME"
			case '2', '4', '5':
				d.labels[i] = "NUMBER"
			}
		}
		docs = append(docs, d)
	}
	models := map[string]*Model{}
	for name, o := range map[string]Options{
		"default": {}, "binary": {Binary: true}, "bayes": {Learner: Bayes}, "thorough": {Features: Thorough}, "hide": {Features: HIDE},
		"no lists":  {Features: Default &^ (List | Member)},
		"own lists": {Features: HIDE | Fold, Dictionaries: []dictionary.List{{Name: "d", Phrases: []string{"New York", "smith"}}}},
	} {
		o.MaxIterations, o.MinCount, o.MinDocuments = 4, 1, 1
		models[name], _ = train(t, docs, o)
	}
	return models
}

// alone is what a model with a reader of its own says, which nothing has used before.
func (m *Model) alone(d sequence) []float64 {
	if d = m.withFirstPass(d); len(d.words) == 0 {
		return nil
	}
	t := m.bench()
	t.extract = newExtractor(m.families, m.gazette, t)
	t.score(d)
	t.marginal()
	return slices.Clone(t.psi)
}

// joined is the same of [Model.Marginals].
func (m *Model) joined(psi []float64) (out []float64) {
	l := m.states.count()
	for ; len(psi) > 0; psi = psi[l:] {
		for k := range m.states.labels {
			out = append(out, psi[1+k]+psi[m.states.inside(k)])
		}
	}
	return out
}

// TestSharedReadersSayTheSame lets models and fact readers that share a reader take turns
// at random notes, new ones and old ones, with hidden words. Each number has to be that of
// a reader that knows nothing yet, bit for bit.
func TestSharedReadersSayTheSame(t *testing.T) {
	models, lists := readingModels(t), NewLists(nil)
	names := slices.Sorted(maps.Keys(models))
	r := rand.New(rand.NewPCG(3, 4))
	var notes []annotate.Note
	for range 25 {
		notes = append(notes, scrawl(r, r.IntN(40)))
	}
	for round := range 150 {
		n := &notes[r.IntN(len(notes))]
		if len(n.Words) > 0 && r.IntN(4) == 0 { // in place: nobody may look at an old version
			n.Words = slices.Clone(n.Words)
			n.Words[r.IntN(len(n.Words))] = "Ruiz"
		}
		v := someView(r, n)
		if r.IntN(3) == 0 {
			alone := FactReader{x: extractor{plan: factPlan(), reader: newReader(lists.gazette, false, 1)}, lists: lists}
			alone.x.read(unlabelled(v))
			alone.fill()
			if got := NewFactReader(lists).Read(v); !reflect.DeepEqual(got, alone.facts) {
				t.Fatalf("round %d: facts differ from those of a reader alone", round)
			}
			continue
		}
		name := names[r.IntN(len(names))]
		m := models[name]
		got, _ := m.Marginals(v)
		if !slices.Equal(slices.Concat(got...), m.joined(m.alone(unlabelled(v)))) {
			t.Fatalf("round %d, model %s: marginals differ from those of a reader alone", round, name)
		}
	}
}

// TestReadersAreSharedByGoroutines compares results under contention with earlier ones.
func TestReadersAreSharedByGoroutines(t *testing.T) {
	models, lists := readingModels(t), NewLists(nil)
	r := rand.New(rand.NewPCG(5, 6))
	var notes []annotate.Note
	for range 12 {
		notes = append(notes, scrawl(r, 25))
	}
	say := func(n *annotate.Note) string {
		var b strings.Builder
		fmt.Fprintf(&b, "%v\n", NewFactReader(lists).Read(n.View()))
		for _, name := range []string{"binary", "default", "hide", "own lists"} {
			p, _ := models[name].Marginals(n.View())
			fmt.Fprintf(&b, "%x %v\n", p, models[name].Tag(n.View()))
		}
		return b.String()
	}
	want := make([]string, len(notes))
	for i := range notes {
		want[i] = say(&notes[i])
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range notes {
				if at := (i*5 + g*3) % len(notes); say(&notes[at]) != want[at] {
					t.Errorf("goroutine %d: note %d differs", g, at)
				}
			}
		})
	}
	all.Wait()
}

// TestKeysHaveDenseNumbers compares the table with a map.
func TestKeysHaveDenseNumbers(t *testing.T) {
	table, want := newKeyTable(), map[bundleKey]int32{}
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		key := bundleKey{bundleKind(r.IntN(3)), int32(r.IntN(50)) - 5, int32(r.IntN(50)) - 5, int32(r.IntN(3)) - 1}
		n, known := want[key]
		if !known {
			n = int32(len(want))
			want[key] = n
		}
		if got := table.number(key); got != n {
			t.Fatalf("%v has number %d, want %d", key, got, n)
		}
	}
	if table.len() != len(want) {
		t.Errorf("%d keys, want %d", table.len(), len(want))
	}
}

func TestLongNotesAreForgotten(t *testing.T) {
	var pool readers
	r := newReader(nil, false, 1)
	d := longDoc(rememberedTokens + 1)
	never := func() bool { return false }
	r.begin(d, never)
	pool.give(r)
	if r.recall(d) || len(r.docs[0].ids) > 0 {
		t.Error("the reader remembers a long note")
	}
	d = longDoc(10)
	r.begin(d, never)
	pool.give(r)
	if !r.recall(d) {
		t.Error("the reader does not remember a short note")
	}
}

func TestModelsThatAreReadShareTheProgramsLists(t *testing.T) {
	for name, m := range readingModels(t) {
		var file bytes.Buffer
		if err := m.Encode(&file); err != nil {
			t.Fatal(err)
		}
		back := decoded(t, file.Bytes())
		if own := m.gazette == ownGazetteer(); own != (back.gazette == ownGazetteer()) {
			t.Errorf("%s: with the program's own lists alone %t, read %t", name, own, !own)
		}
		if !bytes.Equal(encoded(t, back), file.Bytes()) {
			t.Errorf("%s: another file", name)
		}
	}
}
