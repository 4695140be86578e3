// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
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
var readingModels = sync.OnceValue(func() map[string]*Model {
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
		"default": {}, "binary": {Binary: true}, "bayes": {Learner: Bayes}, "hide": {Features: HIDE},
		"thorough": {Features: Thorough}, "thorough binary": {Features: Thorough, Binary: true}, "less": {Features: Default &^ (Run | Layout)},
		"no lists":  {Features: Default &^ (List | Member)},
		"own lists": {Features: HIDE | Fold, Dictionaries: []dictionary.List{{Name: "d", Phrases: []string{"New York", "smith"}}}},
	} {
		o.MaxIterations, o.MinCount, o.MinDocuments = 4, 1, 1
		m, _, err := trainOn(context.Background(), docs, o.withDefaults())
		if err != nil {
			panic(err)
		}
		models[name] = m
	}
	return models
})

// alone is what a model with a reader of its own says, which nothing has used before.
func (m *Model) alone(d sequence) []float64 {
	if d = m.withFirstPass(d); len(d.words) == 0 {
		return nil
	}
	t := m.bench()
	t.extract = (&extractor{plan: planOf(m.families), reader: newReader(m.gazette, m.families.plain(), 1)}).hashed(t)
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

// vary changes one thing of a note in place: nobody may take it for what it was.
func vary(r *rand.Rand, n *annotate.Note) {
	at := r.IntN(len(n.Words))
	switch r.IntN(5) {
	case 0:
		n.Words[at] = "Ruiz"
	case 1:
		n.Text = strings.Replace(n.Text, " ", "\n", 1)
	case 2:
		n.Known = append(n.Known[:0], n.Words[at])
	case 3:
		n.Identities = append(n.Identities[:0], annotate.Identity{Label: "NAME", Value: n.Words[at]})
	case 4:
		n.Tokens = nil
	}
}

// sayAlike compares what a model, or a reader of facts for none, says of a view with what
// one with a reader of its own says that knows nothing yet.
func sayAlike(m *Model, v annotate.View) bool {
	if m == nil {
		lists := NewLists(nil)
		alone := FactReader{x: extractor{plan: factPlan(), reader: newReader(lists.gazette, false, 1)}, lists: lists}
		alone.x.read(unlabelled(v))
		alone.fill()
		return reflect.DeepEqual(NewFactReader(lists).Read(v), alone.facts)
	}
	got, _ := m.Marginals(v)
	return slices.Equal(slices.Concat(got...), m.joined(m.alone(unlabelled(v))))
}

// TestSharedReadersSayTheSame lets models and fact readers that share a reader take turns
// at notes that change, with hidden words. Numbers are equal bit for bit.
func TestSharedReadersSayTheSame(t *testing.T) {
	models := maps.Clone(readingModels())
	models["facts"] = nil
	names := slices.Sorted(maps.Keys(models))
	r := rand.New(rand.NewPCG(3, 4))
	var notes []annotate.Note
	for range 8 {
		notes = append(notes, scrawl(r, 1+r.IntN(30)))
	}
	for round := range 60 {
		n := &notes[r.IntN(len(notes))]
		v := someView(r, n)
		for turn, i := range r.Perm(len(names)) {
			if !sayAlike(models[names[i]], v) {
				t.Fatalf("round %d, turn %d: %s says something else than alone", round, turn, names[i])
			}
			if turn%3 == 2 {
				vary(r, n)
			}
		}
	}
	for name, m := range models {
		if empty := (annotate.View{Note: &annotate.Note{}}); !sayAlike(m, empty) {
			t.Errorf("%s says something of no words", name)
		}
	}
}

// TestReadersAreSharedByGoroutines compares results under contention with earlier ones.
func TestReadersAreSharedByGoroutines(t *testing.T) {
	models, lists := readingModels(), NewLists(nil)
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

func TestLongNotesAreForgotten(t *testing.T) {
	var pool readers
	r := newReader(nil, false, 1)
	never := func() bool { return false }
	short, blank, known := longDoc(10), longDoc(10), longDoc(10)
	blank.text = strings.Repeat(" ", rememberedBytes+1)
	known.known = []string{strings.Repeat("x", rememberedBytes/2), strings.Repeat("y", rememberedBytes/2+1)}
	for what, d := range map[string]sequence{"many words": longDoc(rememberedTokens + 1), "a long text": blank, "long identifiers": known} {
		r.begin(d, never)
		pool.give(r)
		if r.recall(d) || len(r.docs[0].ids) > 0 {
			t.Errorf("the reader remembers a note with %s", what)
		}
		r.begin(short, never)
		pool.give(r)
		if !r.recall(short) {
			t.Errorf("the reader does not remember a short note after one with %s", what)
		}
	}
}

func TestModelsThatAreReadShareTheProgramsLists(t *testing.T) {
	for name, m := range readingModels() {
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

func TestADocumentIsRecalledByAllThatFeaturesSee(t *testing.T) {
	whole := func() sequence {
		return sequence{text: "Ana Ruiz", words: []string{"Ana", "Ruiz"}, tokens: []annotate.Token{{Start: 0, End: 3}, {Start: 4, End: 8}},
			known: []string{"Ruiz"}, people: []annotate.Identity{{Label: "NAME", Value: "Ana"}}, group: "p"}
	}
	for what, c := range map[string]struct {
		change func(d *sequence)
		same   bool
	}{
		"nothing":    {func(*sequence) {}, true},
		"the group":  {func(d *sequence) { d.group = "q" }, true},
		"the text":   {func(d *sequence) { d.text = "Ana\nRuiz" }, false},
		"a word":     {func(d *sequence) { d.words[1] = "[x]" }, false},
		"a token":    {func(d *sequence) { d.tokens[1].Start = 3 }, false},
		"no tokens":  {func(d *sequence) { d.tokens = nil }, false},
		"identifier": {func(d *sequence) { d.known[0] = "Ana" }, false},
		"identity":   {func(d *sequence) { d.people[0].Value = "Ruiz" }, false},
	} {
		r, d := newReader(nil, false, 2), whole()
		r.begin(d, func() bool { return false })
		if c.change(&d); r.recall(d) != c.same {
			t.Errorf("after a change of %s, recalled: %t", what, !c.same)
		}
		if !r.recall(whole()) {
			t.Errorf("a change of %s in place changed what is remembered", what)
		}
	}
}

// The features of a first pass are the model's own, whatever else is shared.
func TestEvidenceOfAFirstPassIsNotShared(t *testing.T) {
	d := sequence{words: []string{"Ana", "came"}}
	first, second := &recorder{}, &recorder{}
	x := newExtractor(Thorough, nil, first)
	y := &extractor{plan: planOf(Thorough), reader: x.reader, sink: second}
	for label, e := range []*extractor{x, y, x} {
		d.firstPass = []firstPassEvidence{{document: evidence{label: int16(label), count: 1}, group: noEvidence}, {noEvidence, noEvidence}}
		r := []*recorder{first, second, first}[label]
		var got []string
		e.extract(d, func(_ int, bundles []int32) {
			for _, b := range bundles {
				got = append(got, r.bundles[b]...)
			}
		})
		if want := fmt.Sprintf("2d=%d|0", label); !slices.Contains(got, want) {
			t.Errorf("%s is missing among %q", want, got)
		}
	}
}

func TestAReaderForgetsTheModelsThatUsedItFirst(t *testing.T) {
	models := readingModels()
	m, r := models["default"], newReader(ownGazetteer(), false, 1)
	use := func(m *Model) *tagger {
		defer r.release()
		return r.tagger(m)
	}
	first := use(m)
	if use(models["binary"]); use(m) != first {
		t.Fatal("a tagger that was just used is gone")
	}
	var others []*Model
	for range rememberedModels {
		n := m.states.transitions()
		others = append(others, &Model{states: m.states, families: m.families, rows: []int32{int32(n)}, weights: make([]float32, n), pairs: make([]uint16, n)})
		use(others[len(others)-1])
	}
	if len(r.taggers) != rememberedModels || slices.ContainsFunc(r.taggers, func(o taggerOf) bool { return o.tagger == first }) {
		t.Errorf("after %d other models, %d are remembered", rememberedModels, len(r.taggers))
	}
	large, small := use(others[2]), use(others[3])
	large.sums.rows, small.sums.rows = make([]float32, rememberedNumbers), make([]float32, 1)
	if use(others[2]); len(r.taggers) != 1 {
		t.Errorf("%d taggers are remembered beside a large one", len(r.taggers)-1)
	}
	large.sums.rows = make([]float32, rememberedNumbers+1)
	if use(others[2]) != large || len(r.taggers) != 0 {
		t.Error("a tagger that is too large is remembered")
	}
	words := use(others[2])
	words.extract.slots = make([]slots, rememberedNumbers/len(slots{})+1)
	if use(others[2]) != words || len(r.taggers) != 0 {
		t.Error("a tagger with bundles of too many words is remembered")
	}
	runtime.KeepAlive(others)
}
