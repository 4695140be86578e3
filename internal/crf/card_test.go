// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

func TestCardSaysWhatTrainingKnows(t *testing.T) {
	docs, gold := notes(31, 12)
	spans, words := map[annotate.Label]int{}, 0
	for i, d := range docs {
		words += len(d.words)
		for _, s := range gold[i] {
			spans[s.Label]++
		}
	}
	o := Options{
		Features: HIDE, Dictionaries: []dictionary.List{{Name: "given", Phrases: []string{"Ana", "Luis"}}}, Binary: true,
		Sampling: Sampling{O: 0.5, Seed: 3}, MaxIterations: 6, C2: 0.7,
	}
	m, stats := train(t, docs, o)
	c := m.Card()
	if c.Learner != Chain || c.Data.Documents != 12 || c.Data.Words != words || c.Data.TrainedOn != stats.Tokens || !maps.Equal(c.Data.Spans, spans) {
		t.Errorf("learner %s, data %+v, want %d words and %v", c.Learner, c.Data, words, spans)
	}
	if c.Data.TrainedOn >= words {
		t.Errorf("trained on %d of %d words with sampling", c.Data.TrainedOn, words)
	}
	if want := []string{"term", "regex", "affix", "dictionary", "context"}; !reflect.DeepEqual(c.Features.Families, want) {
		t.Errorf("families %q, want %q", c.Features.Families, want)
	}
	if want := []CardDictionary{{"given", 2}}; !reflect.DeepEqual(c.Features.Dictionaries, want) {
		t.Errorf("dictionaries %v, want %v", c.Features.Dictionaries, want)
	}
	if want := (CardOptions{Binary: true, MinCount: 1, MinDocuments: 1, Sampling: o.Sampling, C2: 0.7, Pairs: Auto, MaxIterations: 6, Tolerance: 0.002}); !reflect.DeepEqual(c.Options, want) {
		t.Errorf("options %+v, want %+v", c.Options, want)
	}
	if want := (CardTraining{stats.Status, stats.Number, stats.Evaluations, stats.Objective, stats.Attributes, stats.Weights, m.Weights()}); c.Training != want {
		t.Errorf("training %+v, want %+v", c.Training, want)
	}
	again, _ := train(t, docs, Options{Warm: m, MaxIterations: 2})
	if !again.Card().Options.Warm {
		t.Error("the card does not show a warm start")
	}
	counted, _ := train(t, docs, Options{Learner: Bayes})
	if c := counted.Card(); c.Options.Alpha != 0.01 || c.Options.C2 != 0 || c.Options.Pairs != "" || c.Training.Status != Counted {
		t.Errorf("of naive Bayes: %+v, %s", c.Options, c.Training.Status)
	}
}

// TestCardHoldsNoWordOfTheNotes has notes whose words occur nowhere else.
func TestCardHoldsNoWordOfTheNotes(t *testing.T) {
	words := strings.Fields("zyxophan quorvex blithmund Traskelion ornvald")
	docs := []sequence{{words: words, labels: []annotate.Label{"", "", "", "NAME", ""}}}
	m, _ := train(t, docs, Options{MinCount: 1})
	card, err := m.Card().encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		if bytes.Contains(bytes.ToLower(card), bytes.ToLower([]byte(w))) {
			t.Errorf("the card holds a word of a note")
		}
	}
}

func TestCardSurvivesTheFile(t *testing.T) {
	m, _ := smallModel(t)
	c := m.Card()
	c.Program, c.Date, c.Note = "0.1.0", "2026-01-31", "Ward 3,\nconsent <17> – \u2028 \u0007"
	c.Data.Patients, c.Data.First, c.Data.Last = 4, "2020-02-29", "2021-12-01"
	c.Scores = []CardScore{{How: "5-fold", Documents: 3, Entity: CardRatios{0.5, 1.0 / 3, 0.4}}}
	described, err := m.WithCard(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Scores[0].How = "changed afterwards"
	got := decoded(t, encoded(t, described)).Card()
	if !reflect.DeepEqual(got, described.Card()) || got.Scores[0].How != "5-fold" || got.Note != c.Note {
		t.Errorf("read as %+v", got)
	}
	if m.Card().Note != "" {
		t.Error("the model itself was changed")
	}
	got.Data.Spans["X"] = 1
	if _, there := described.Card().Data.Spans["X"]; there {
		t.Error("the card of a model can be changed from outside")
	}
}

func TestCardRefusesWhatNoFileMayHold(t *testing.T) {
	m, _ := smallModel(t)
	for name, change := range map[string]func(*Card){
		"a long note":     func(c *Card) { c.Note = strings.Repeat("x", MaxNote+1) },
		"a note in bytes": func(c *Card) { c.Note = "\xff" },
		"a huge card":     func(c *Card) { c.Program = strings.Repeat("x", maxCard) },
	} {
		c := m.Card()
		change(&c)
		if _, err := m.WithCard(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestDecodeCardTakesOneFormOnly(t *testing.T) {
	good, err := Card{Note: "a"}.encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeCard(good); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{
		nil, []byte("null"), append([]byte(" "), good...), append(good, ' '),
		bytes.Replace(good, []byte(`"note"`), []byte(`"NOTE"`), 1),
		bytes.Replace(good, []byte(`"documents":0`), []byte(`"documents":-0`), 1),
		bytes.Replace(good, []byte(`"sampling":""`), []byte(`"sampling":"o=2"`), 1),
		bytes.Replace(good, []byte(`"sampling":""`), []byte(`"sampling":"o=.5"`), 1),
	} {
		if _, err := decodeCard(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// WithCard must copy all fields of a model, except those that are computed on demand.
func TestWithCardChangesNothingButTheCard(t *testing.T) {
	m, _ := train(t, bareNames(1, 20, false), Options{Features: Thorough, MaxIterations: 5, Dictionaries: []dictionary.List{{Name: "given", Phrases: []string{"Ana"}}}})
	c := m.Card()
	c.Note = "of the second clinic"
	carded, err := m.WithCard(c)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{"readers": true, "once": true, "names": true, "card": true}
	a, b := reflect.ValueOf(m).Elem(), reflect.ValueOf(carded).Elem()
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if one, other := fmt.Sprint(a.Field(i)), fmt.Sprint(b.Field(i)); !made[name] && one != other {
			t.Errorf("%s differs", name)
		}
	}
	back := decoded(t, encoded(t, carded))
	if back.Card().Note != c.Note {
		t.Errorf("the note is %q", back.Card().Note)
	}
	for _, d := range bareNames(2, 10, false) {
		if want := m.Tag(d.view()); !reflect.DeepEqual(carded.Tag(d.view()), want) || !reflect.DeepEqual(back.Tag(d.view()), want) {
			t.Fatal("its tags differ")
		}
	}
}
