// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// bareNames returns documents with a made-up name once in a context that identifies it,
// and once without any clue: there only the first place distinguishes it from a drug.
// With apart, the two places are in two documents of one patient.
func bareNames(seed uint64, n int, apart bool) []sequence {
	r := rand.New(rand.NewPCG(seed, 7))
	word := func() string {
		b := make([]byte, 5)
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		return strings.ToUpper(string(b[:1])) + string(b[1:])
	}
	var docs []sequence
	for i := range n {
		name, drug := word(), word()
		bare := []string{"asked " + name + " again", "asked " + drug + " again"}
		r.Shuffle(2, func(i, j int) { bare[i], bare[j] = bare[j], bare[i] })
		parts := [][]string{{"Dr. " + name + " saw her", "took " + drug + " twice"}, bare}
		if !apart {
			parts = [][]string{slices.Concat(parts...)}
		}
		for _, lines := range parts {
			d := noteSequence(annotated(strings.Join(lines, "\n"), name))
			d.group = fmt.Sprint(i)
			docs = append(docs, d)
		}
	}
	return docs
}

// annotated returns a document in which every occurrence of name is tagged.
func annotated(text, name string) annotate.Annotated {
	a := annotate.Annotated{Document: annotate.Document{Text: text}}
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return a
		}
		start := annotate.ByteOff(from + at)
		from += at + len(name)
		a.Spans = append(a.Spans, annotate.Span{Start: start, End: annotate.ByteOff(from), Label: "NAME"})
	}
}

// together gives documents of one group each other's evidence, as in training, if the
// model has a second pass.
func together(m *Model, docs []sequence) []sequence {
	if m.first == nil {
		return docs
	}
	said := make([][][]float64, len(docs))
	for i, d := range docs {
		said[i] = m.first.marginalsBy(m.first.states.labels, d)
	}
	return withFirstPass(docs, said)
}

func TestSecondPassFindsWhatOnlyOtherPlacesTell(t *testing.T) {
	for _, apart := range []bool{false, true} {
		docs, fresh := bareNames(1, 80, apart), bareNames(2, 80, apart)
		found := func(f Families) (right, wrong int) {
			m, _ := train(t, docs, Options{Features: f})
			for _, d := range together(m, fresh) {
				for _, s := range m.tag(d) {
					if slices.Contains(d.spans(), s.Span) {
						right++
					} else {
						wrong++
					}
				}
			}
			return right, wrong
		}
		one, oneWrong := found(Default &^ Elsewhere)
		two, twoWrong := found(Thorough &^ Elsewhere)
		if two < 150 || twoWrong > 10 {
			t.Errorf("apart %v: two passes find %d of 160, and %d wrong ones", apart, two, twoWrong)
		}
		if one-oneWrong > 130 {
			t.Errorf("apart %v: one pass finds %d of 160, and %d wrong ones: the documents are too easy", apart, one, oneWrong)
		}
	}
}

func TestOnlyThePatientsDocumentsAreHeard(t *testing.T) {
	docs := bareNames(1, 80, true)
	m, _ := train(t, docs, Options{Features: Thorough})
	ask := bareNames(2, 1, true)
	alone := m.Sensitive(ask[1].view())
	if slices.Equal(m.sensitive(together(m, ask)[1]), alone) {
		t.Error("the patient's other document has no effect")
	}
	ask[0].group = "another"
	if !slices.Equal(m.sensitive(together(m, ask)[1]), alone) {
		t.Error("another patient's document has an effect")
	}
}

// All labels are in one document: a model trained without it knows no label.
func TestNobodyHearsOfItsOwnLabels(t *testing.T) {
	docs := bareNames(1, 9, false)
	for i := range docs[1:] {
		docs[i+1].labels, docs[i+1].begins = nil, nil
	}
	trainer, err := NewTrainer(Options{Features: Thorough})
	if err != nil {
		t.Fatal(err)
	}
	_, told, err := trainer.firstPass(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	heard := false
	for x, h := range told[0].firstPass {
		heard = heard || h != firstPassEvidence{noEvidence, noEvidence}
		if h.document.most > 0 || h.document.mean > 0 {
			t.Errorf("token %d has evidence %+v", x, h.document)
		}
	}
	if !heard {
		t.Error("no token has evidence")
	}
}

func TestAPatientOfManyNotesIsHeardInTime(t *testing.T) {
	const n, words = 1000, 100
	docs, said := make([]sequence, n), make([][][]float64, n)
	for i := range docs {
		docs[i].group = "p"
		for k := range words {
			docs[i].words = append(docs[i].words, "Word"+string(rune('a'+k/10))+string(rune('a'+k%10)))
		}
		said[i] = slices.Repeat([][]float64{{0.3, 0.2}}, words)
	}
	for _, h := range evidenceOf(docs, said) { // comparing all pairs of notes would take minutes
		if h[0].group != (evidence{0, probabilityBucket(0.3), probabilityBucket(0.5), 3}) {
			t.Fatalf("evidence %+v", h[0].group)
		}
	}
}

// Compares evidenceOf with a direct implementation of its definition.
func TestHearIsWhatOtherPlacesSay(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"Ana", "ana", "Ruiz", "x", "12345", "."}
	for range 200 {
		docs, said := make([]sequence, 4), make([][][]float64, 4)
		for i := range docs {
			docs[i].group = []string{"", "p", "p", "p"}[r.IntN(4)]
			for range r.IntN(8) {
				docs[i].words = append(docs[i].words, words[r.IntN(len(words))])
				said[i] = append(said[i], []float64{r.Float64() / 2, r.Float64() / 2})
			}
		}
		got := evidenceOf(docs, said)
		for i, d := range docs {
			for x := range d.words {
				want := firstPassEvidence{heardIn(docs, said, i, x, func(j, y int) bool { return j == i && y != x }),
					heardIn(docs, said, i, x, func(j, _ int) bool { return j != i && d.group != "" && docs[j].group == d.group })}
				if got[i][x] != want {
					t.Fatalf("document %d, token %d has evidence %+v, want %+v", i, x, got[i][x], want)
				}
			}
		}
	}
}

func heardIn(docs []sequence, said [][][]float64, i, x int, counts func(j, y int) bool) evidence {
	word := docs[i].words[x]
	if !strings.Contains("Ana ana Ruiz 12345", word) || word == "x" {
		return noEvidence
	}
	most, sum, n := [2]float64{}, 0.0, 0
	for j, d := range docs {
		for y, w := range d.words {
			if strings.EqualFold(w, word) && counts(j, y) {
				p := said[j][y]
				most[0], most[1], sum, n = max(most[0], p[0]), max(most[1], p[1]), sum+p[0]+p[1], n+1
			}
		}
	}
	if n == 0 {
		return noEvidence
	}
	best := 0
	if most[1] > most[0] {
		best = 1
	}
	return evidence{int16(best), probabilityBucket(most[best]), probabilityBucket(sum / float64(n)), uint8(min(n, 3))}
}

func TestModelWithASecondPassComesBackFromItsFile(t *testing.T) {
	m, _ := train(t, bareNames(1, 40, false), Options{Features: Thorough})
	file := encoded(t, m)
	back, err := Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(t, back), file) || back.Hash() != m.Hash() {
		t.Error("encoding it again gives other bytes")
	}
	for _, d := range bareNames(2, 20, false) {
		if a, b := m.Sensitive(d.view()), back.Sensitive(d.view()); !slices.Equal(a, b) {
			t.Fatalf("probabilities %v after reading, %v before", b, a)
		}
	}
}

func TestTrainerRepeatsASecondPass(t *testing.T) {
	docs := bareNames(1, 30, false)
	trainer, err := NewTrainer(Options{Features: Thorough})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := trainer.Train(context.Background(), views(docs[:29])); err != nil {
		t.Fatal(err)
	}
	m, stats, err := trainer.Train(context.Background(), views(docs))
	if err != nil {
		t.Fatal(err)
	}
	_, cold := train(t, docs, Options{Features: Thorough})
	if m.first == nil || stats.Objective > cold.Objective*1.01 {
		t.Errorf("objective %g after retraining, %g from scratch", stats.Objective, cold.Objective)
	}
}

func TestTrainerGoesOnFromItsFirstPass(t *testing.T) {
	docs := bareNames(5, 20, false)
	var passes []int // iterations of each
	o := Options{Features: Default | Consistency, Progress: func(i Iteration) {
		if i.Number == 1 {
			passes = append(passes, 0)
		}
		passes[len(passes)-1]++
	}}
	trainer, err := NewTrainer(o)
	if err != nil {
		t.Fatal(err)
	}
	for n := 17; n <= len(docs); n++ {
		passes = nil
		m, _, err := trainer.Train(t.Context(), views(docs[:n]))
		if err != nil {
			t.Fatal(err)
		}
		warm := passes
		passes = nil
		cold, _ := train(t, docs[:n], o)
		if len(warm) != 2 || len(passes) != 2 || n > 17 && warm[0] >= passes[0] {
			t.Errorf("%d documents: %d iterations of each pass, from scratch %d", n, warm, passes)
		}
		for _, d := range docs {
			if got, want := m.Tag(d.view()), cold.Tag(d.view()); len(got) != len(want) {
				t.Errorf("%d documents: %d spans, from scratch %d", n, len(got), len(want))
			}
		}
	}
}

func TestDumpRefusesWhatAnotherModelSays(t *testing.T) {
	err := Dump(context.Background(), &bytes.Buffer{}, views(bareNames(1, 3, false)), Options{Features: Thorough})
	if err == nil || !strings.Contains(err.Error(), "consistency") {
		t.Errorf("error %v", err)
	}
}
