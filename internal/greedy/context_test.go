// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// mayors are 20 documents; in 5 of them Weiss stands beside the mayor, who stands
// elsewhere once.
func mayors() []annotate.Note {
	var docs []annotate.Note
	for i := range 20 {
		line := fmt.Sprintf("seen *other%d , stable today", i)
		switch {
		case i < 5:
			line = "the Mayor , *Ana *Weiss , stable today"
		case i == 5:
			line = "a mayor , *other5 , stable today"
		}
		docs = append(docs, text(fmt.Sprint(i), line))
	}
	return docs
}

func TestAssociationsAreByHand(t *testing.T) {
	got, err := Associations(mayors(), Context{Window: 3, MinLift: 2})
	if err != nil {
		t.Fatal(err)
	}
	// mayor is in 6 documents, Ana Weiss in 5, together in 5 of 20; "stable" is
	// within 3 tokens of her too, but in all 20; "the" is no context.
	want := []Association{{Word: "mayor", Identifier: "ana weiss", Support: 5, Confidence: 5.0 / 6, Lift: 5.0 / 6 * 20 / 5}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, _ := Associations(mayors(), Context{Window: 1, MinLift: 2}); got != nil {
		t.Errorf("one token away: %+v", got)
	}
	if got, _ := Associations(mayors(), Context{MinSupport: 6, MinLift: 2}); got != nil {
		t.Errorf("support 6: %+v", got)
	}
	if got, _ := Associations(mayors(), Context{MinLift: 3.5}); got != nil {
		t.Errorf("lift 3.5: %+v", got)
	}
}

func TestAssociationsMatchCountingByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(90, 1))
	met := 0
	for range 120 {
		docs := random(r, 12)
		c := Context{Window: 1 + r.IntN(4), MinSupport: 1 + r.IntN(3), MinLift: 0.1 + 3*r.Float64()}
		got, err := Associations(docs, c)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[[2]string]Association{}
		for _, a := range got {
			listed[[2]string{a.Word, a.Identifier}] = a
		}
		want := countAssociations(docs, c)
		if len(listed) != len(got) || len(got) != len(want) {
			t.Fatalf("%d associations, %d by definition", len(got), len(want))
		}
		for pair, support := range want {
			if listed[pair].Support != support {
				t.Fatalf("%v: %+v, support by definition %d", pair, listed[pair], support)
			}
		}
		met += len(got)
	}
	if met < 1000 {
		t.Fatalf("only %d associations met", met)
	}
}

// countAssociations enumerates all pairs of a word and an identifier, document by
// document, and gives the support of those above the thresholds.
func countAssociations(docs []annotate.Note, c Context) map[[2]string]int {
	words, surfaces, spans := map[string]bool{}, map[string]bool{}, make([][]occurrence, len(docs))
	for i := range docs {
		for x, w := range docs[i].Words {
			if !docs[i].Sensitive[x] {
				words[w] = true
			}
		}
		spans[i] = spansOf(&docs[i])
		for _, s := range spans[i] {
			surfaces[s.surface] = true
		}
	}
	out := map[[2]string]int{}
	for w := range words {
		for s := range surfaces {
			nw, ns, both := 0, 0, 0
			for i := range docs {
				hasWord, hasSurface, together := stand(&docs[i], spans[i], w, s, c.Window)
				nw, ns, both = nw+hasWord, ns+hasSurface, both+together
			}
			if both >= c.MinSupport && float64(both)/float64(nw)*float64(len(docs))/float64(ns) >= c.MinLift {
				out[[2]string{w, s}] = both
			}
		}
	}
	return out
}

func stand(d *annotate.Note, spans []occurrence, word, surface string, window int) (hasWord, hasSurface, together int) {
	for x, w := range d.Words {
		if w != word || d.Sensitive[x] {
			continue
		}
		hasWord = 1
		for _, s := range spans {
			if s.surface == surface && x >= s.from-window && x < s.to+window {
				together = 1
			}
		}
	}
	for _, s := range spans {
		if s.surface == surface {
			hasSurface = 1
		}
	}
	return hasWord, hasSurface, together
}

func TestContextIsReportedOrRedacted(t *testing.T) {
	docs := mayors()
	p := params(Default, 3)
	p.Context = &Context{Window: 3, MinLift: 2}
	told, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(told.Context) != 1 || told.Choices[0].Outcome.Sensitive != 25 {
		t.Errorf("%+v; %d sensitive", told.Context, told.Choices[0].Outcome.Sensitive)
	}
	h := told.Choices[0].Classifiers
	if mask := h.Redact(docs[5]); mask[1] {
		t.Error("reported words are redacted")
	}
	p.Context = &Context{Window: 3, MinLift: 2, Redact: true}
	result, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := result.Choices[0].Outcome
	if o.Sensitive != 31 || o.ByLabel[1].Label != ContextLabel || o.ByLabel[1].Spans != 6 {
		t.Errorf("%d sensitive, %+v", o.Sensitive, o.ByLabel)
	}
	if mask := result.Choices[0].Classifiers.Redact(docs[5]); !mask[1] {
		t.Errorf("redacts %v, not the mayor", mask)
	}
	if !reflect.DeepEqual(docs, mayors()) {
		t.Error("the documents given have changed")
	}
}

func TestContextIsTheSameEveryTime(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(91, 1)), 30)
	first, _ := Associations(docs, Context{MinSupport: 1, MinLift: 0.1})
	for range 5 {
		if again, _ := Associations(docs, Context{MinSupport: 1, MinLift: 0.1}); !slices.Equal(again, first) {
			t.Fatal("the same documents give other associations")
		}
	}
}

func TestBadContextIsRefused(t *testing.T) {
	docs := mayors()
	for _, c := range []Context{{Window: -1}, {Window: 1001}, {MinSupport: -1}, {MinLift: -1}, {MinLift: math.NaN()}, {MinLift: math.Inf(1)}} {
		p := params(Default, 3)
		p.Context = &c
		if _, err := Sanitize(t.Context(), docs, p, nil); err == nil || !strings.Contains(err.Error(), "they must be") {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

func TestContextOfEverythingIsRefused(t *testing.T) {
	docs := []annotate.Note{text("a", "mayor *weiss"), text("b", "mayor *weiss"), text("c", "mayor *weiss")}
	p := params(Default, 3)
	p.Context = &Context{MinLift: 0.5, Redact: true}
	if _, err := Sanitize(t.Context(), docs, p, nil); err == nil || !strings.Contains(err.Error(), "nothing remains") {
		t.Errorf("error %v", err)
	}
}

func TestCommonWordsAreNoContextWithACapitalEither(t *testing.T) {
	docs := []annotate.Note{text("a", "The *weiss came"), text("b", "The *weiss slept"), text("c", "The *weiss ran"), text("d", "rain"), text("e", "snow"), text("f", "fog")}
	if got, err := Associations(docs, Context{MinLift: 1.5}); err != nil || got != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// The second way redacts, beside what is redacted in several documents, the word that stands
// there, wherever it stands; it reads no annotation.
func TestContextIsRemovedFromWhatIsPublished(t *testing.T) {
	docs, masks := mayors(), [][]bool{}
	for _, d := range docs {
		masks = append(masks, slices.Clone(d.Sensitive))
	}
	how := Context{Window: 3, MinLift: 2}
	want, err := Associations(docs, how)
	if err != nil || len(want) != 1 {
		t.Fatalf("%+v, %v", want, err)
	}
	for i := range docs { // the annotation is gone
		docs[i].Sensitive, docs[i].SpanOf, docs[i].Labels = make([]bool, len(docs[i].Words)), slices.Repeat([]int{-1}, len(docs[i].Words)), nil
	}
	got, found, err := RemoveContext(docs, masks, how)
	if err != nil || len(found) != 1 || found[0].Word != want[0].Word || found[0].Identifier != want[0].Identifier {
		t.Fatalf("%+v, %v, want %+v", found, err, want)
	}
	for i, d := range docs {
		for x, w := range d.Words {
			if hidden := masks[i][x] || strings.EqualFold(w, want[0].Word); got[i][x] != hidden {
				t.Errorf("document %d, token %d: redacted %t", i, x, got[i][x])
			}
		}
		if slices.Contains(d.Sensitive, true) {
			t.Error("the documents given have changed")
		}
	}
	if _, _, err := RemoveContext(docs, masks, Context{Window: -1}); err == nil {
		t.Error("a window of -1 was taken")
	}
}

func TestExperimentsPublishWithoutContext(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(92, 1)), 60)
	trial := Trial{Params: params("", 3), Modes: []Mode{Cost}}
	before, err := Experiment(t.Context(), docs, trial, nil)
	if err != nil {
		t.Fatal(err)
	}
	trial.Remove = &Context{Window: 2, MinSupport: 1, MinLift: 0.5}
	after, err := Experiment(t.Context(), docs, trial, nil)
	if err != nil {
		t.Fatal(err)
	}
	more := 0
	for i, v := range after[0].Views {
		for x := range v.Words {
			switch was := before[0].Views[i].Hidden(x); {
			case was && !v.Hidden(x):
				t.Fatal("a word is back")
			case v.Hidden(x) && !was:
				more++
			}
		}
	}
	if more == 0 || after[0].Removed != more || before[0].Removed != 0 {
		t.Errorf("%d more words redacted, %d told", more, after[0].Removed)
	}
	trial.Remove = &Context{Window: -1}
	if _, err := Experiment(t.Context(), docs, trial, nil); err == nil {
		t.Error("a window of -1 was taken")
	}
}
