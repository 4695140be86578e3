// SPDX-License-Identifier: Apache-2.0

package evaluate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
	"hide/internal/crf"
	"hide/internal/lab/evaluate"
)

// judgments are notes whose patient must be hidden and whose court need not be.
func judgments(n int) (notes []annotate.Annotated, documents []entities.Document) {
	r := rand.New(rand.NewPCG(3, 4))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	for i := range n {
		court := pick("Bonn Court", "Lyon Court", "Kent Court")
		name := pick("Ann", "Max", "Zoë", "Ivo") + " " + pick("Weiss", "Novak", "Khan", "Berg")
		text := fmt.Sprintf("The %s heard %s today. Then %s left.", court, name, name)
		at := func(word string, from int, kind entities.Identifier, label annotate.Label, entity string) entities.Mention {
			start := annotate.RuneOff(len([]rune(text[:from])))
			return entities.Mention{Start: start, End: start + annotate.RuneOff(len([]rune(word))), Label: label, Entity: entity, Identifier: kind}
		}
		d := entities.Document{ID: fmt.Sprint(i), Mentions: []entities.Mention{
			at(court, strings.Index(text, court), entities.NoMask, "ORG", "1"),
			at(name, strings.Index(text, name), entities.Direct, "PERSON", "2"),
			at(name, strings.LastIndex(text, name), entities.Direct, "PERSON", "2"),
		}}
		note := annotate.Annotated{Document: annotate.Document{Name: d.ID, Text: text}}
		for _, from := range []int{strings.Index(text, name), strings.LastIndex(text, name)} {
			note.Spans = append(note.Spans, annotate.Span{Start: annotate.ByteOff(from), End: annotate.ByteOff(from + len(name)), Label: "PERSON"})
		}
		notes, documents = append(notes, note), append(documents, d)
	}
	return notes, documents
}

func predict(t *testing.T, s evaluate.Sources) evaluate.Evaluation {
	t.Helper()
	found, err := s.Predict(t.Context(), crf.Options{MaxIterations: 30}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found.Evaluate(evaluate.Options{})
}

func TestEntitiesAreMeasuredWithIntervals(t *testing.T) {
	notes, documents := judgments(20)
	v := predict(t, evaluate.Sources{Notes: notes, Folds: 4, Seed: 1, Entities: documents})
	p := v.Entities
	if p == nil || p.Direct.Entities.Of != 20 || p.Direct.Mentions.Of != 40 || p.Quasi.Entities.Of != 0 || p.Documents.Of != 20 {
		t.Fatalf("%+v", p)
	}
	// Clopper and Pearson: of 20 all masked, the lower end is 0.025^(1/20).
	if s := p.Direct.Entities; s.Count != 20 || math.Abs(s.Interval.Low-math.Pow(0.025, 1./20)) > 1e-9 || s.Interval.High != 1 {
		t.Errorf("%+v, %+v", s, s.Interval)
	}
	var out strings.Builder
	v.Write(&out)
	for _, want := range []string{"direct PERSON", "notes with all direct", "weighted by information"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the text lacks %q", want)
		}
	}
}

// Contrasting mentions are learned but reach neither the spans that are scored nor the
// predictions.
func TestContrastMasksNothing(t *testing.T) {
	notes, documents := judgments(20)
	trained, err := evaluate.Contrast(notes, documents)
	if err != nil {
		t.Fatal(err)
	}
	if len(trained[0].Spans) != 3 || trained[0].Spans[0].Label != "NO_MASK-ORG" || len(notes[0].Spans) != 2 {
		t.Fatalf("%d spans for training, %d before", len(trained[0].Spans), len(notes[0].Spans))
	}
	for name, s := range map[string]evaluate.Sources{
		"folds": {Notes: notes, Folds: 4, Seed: 1, Contrast: documents, Entities: documents},
		"split": {Notes: notes[10:], Train: notes[:10], Contrast: documents[:10], Entities: documents},
	} {
		v := predict(t, s)
		if len(v.Entity.Labels) != 1 || v.Entity.Micro.Recall < 0.9 {
			t.Errorf("%s: %+v", name, v.Entity)
		}
		if v.Entities.Precision.Words.Share < 0.9 {
			t.Errorf("%s: courts are masked: %+v", name, v.Entities.Precision)
		}
	}
}

func TestALowerThresholdMasksMore(t *testing.T) {
	notes, documents := judgments(12)
	before := -1
	for _, p := range []float64{0, 0.4, 0.01, 1e-12} { // 0 masks what the tagger finds
		v := predict(t, evaluate.Sources{Notes: notes, Folds: 3, Seed: 1, Entities: documents, Threshold: p})
		if v.Entities.Precision.Words.Of < before {
			t.Errorf("threshold %v masks %d words, a higher one %d", p, v.Entities.Precision.Words.Of, before)
		}
		before = v.Entities.Precision.Words.Of
	}
	if all := 12 * 11; before != all {
		t.Errorf("the lowest threshold masks %d words of %d", before, all)
	}
}

func TestSourcesRefuseEntitiesThatDoNotFit(t *testing.T) {
	notes, documents := judgments(6)
	harmless := []entities.Document{}
	for _, d := range documents {
		harmless = append(harmless, entities.Document{ID: d.ID, Mentions: d.Mentions[:1]})
	}
	own := append([]annotate.Annotated(nil), notes...)
	own[0].Spans = []annotate.Span{{Start: 0, End: 3, Label: "NO_MASK-X"}}
	long := []entities.Document{{ID: "0", Mentions: []entities.Mention{{Start: 0, End: 99, Label: "X", Entity: "1", Identifier: entities.NoMask}}}}
	for want, s := range map[string]evaluate.Sources{
		"entities of the notes to score: note 6:":       {Notes: notes, Entities: documents[:5]},
		"entities of the notes to score: none":          {Notes: notes, Entities: harmless},
		"training note 6: the entities file":            {Notes: notes, Contrast: documents[:5]},
		"training note 1: a span has a label":           {Notes: own, Contrast: documents},
		"training note 1: mention 1: span out of range": {Notes: notes[:1], Contrast: long},
	} {
		s.Folds, s.Seed = 2, 1
		if _, err := s.Predict(t.Context(), crf.Options{}, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestWithoutContrastNotesStay(t *testing.T) {
	notes, _ := judgments(2)
	if got, err := evaluate.Contrast(notes, nil); err != nil || !reflect.DeepEqual(got, notes) {
		t.Error(err)
	}
}
