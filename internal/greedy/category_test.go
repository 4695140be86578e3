// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hide/internal/annotate"
)

func TestInformativeWordsSaySomething(t *testing.T) {
	for word, want := range map[string]bool{
		",": false, "--": false, "": false, "de": false, "van": false, "the": false, "of": false,
		"De": true, "Ana": true, "4": true, "ana": true, "A.": true, "5a": true, "ángel": true,
	} {
		if got := Informative(word); got != want {
			t.Errorf("Informative(%q) = %v", word, got)
		}
	}
}

func TestCategoriesCountByDefinition(t *testing.T) {
	docs := []annotate.Note{text("a", "x *Ana *de **n3 z"), text("b", "*n4 *de"), text("b", "v *n5")}
	docs[0].Labels = []annotate.Label{"", "NAME", "NAME", "DATE", ""}
	docs[1].Labels = []annotate.Label{"NAME", "NAME"}
	docs[2].Labels = []annotate.Label{"", "NAME"}
	masks := [][]bool{{true, true, false, false, false}, {false, false}, {false, false}}
	group, n := groups(docs)
	out := newTally(docs, masks, group, n, tariff{losses: map[annotate.Label]float64{"DATE": 3}}).outcome(10, 1, newResampler(n, 1, false), nil, nil)
	if got := []float64{out.Residual.Value, out.InformativeMissed.Value, out.PatientsWithLeak.Value, out.DocumentsWithLeak.Value, out.Loss.Value}; fmt.Sprint(got) != "[5 3 2 3 71]" {
		t.Errorf("left, informative, patients, documents, loss: %v", got)
	}
	if out.Informative != 4 || out.Patients != 2 {
		t.Errorf("%d informative tokens, %d patients", out.Informative, out.Patients)
	}
	if len(out.ByLabel) != 2 {
		t.Fatalf("%+v", out.ByLabel)
	}
	date, name := out.ByLabel[0], out.ByLabel[1]
	if date.Label != "DATE" || date.Sensitive != 1 || date.Spans != 1 || date.Missed.Value != 1 || date.SpansMissed.Value != 1 {
		t.Errorf("%+v", date)
	}
	if name.Label != "NAME" || name.Sensitive != 5 || name.Spans != 3 || name.Missed.Value != 4 || name.SpansMissed.Value != 3 {
		t.Errorf("%+v", name)
	}
}

func TestCategoriesAddUpToTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 1))
	for range 80 {
		docs := categorised(r, patients(r.Uint64(), 9))
		masks := nothing(docs)
		for i := range masks {
			masks[i] = flags(r, len(masks[i]))
		}
		group, n := groups(docs)
		out := newTally(docs, masks, group, n, tariff{}).outcome(10, 1, newResampler(n, 1, true), nil, nil)
		sensitive, left := 0, 0.0
		for _, c := range out.ByLabel {
			sensitive, left = sensitive+c.Sensitive, left+c.Missed.Value
			if c.Missed.Low > c.Missed.Value || c.Missed.High < c.Missed.Value || c.Missed.High > float64(c.Sensitive) {
				t.Fatalf("%+v", c)
			}
		}
		if sensitive != out.Sensitive || left != out.Residual.Value {
			t.Fatalf("categories: %d sensitive, %g left; all: %d, %g", sensitive, left, out.Sensitive, out.Residual.Value)
		}
	}
}

func TestACategoryThatIsEverythingHasTheBoundsOfTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 1))
	for range 40 {
		docs := patients(r.Uint64(), 60)
		for i := range docs { // few have something sensitive
			docs[i].Labels = make([]annotate.Label, len(docs[i].Words))
			for x, s := range docs[i].Sensitive {
				if i%25 > 0 {
					docs[i].Sensitive[x], docs[i].SpanOf[x] = false, -1
				} else if s {
					docs[i].Labels[x] = "FAX"
				}
			}
		}
		group, n := groups(docs)
		masks := nothing(docs)
		for i := range masks {
			copy(masks[i], docs[i].Sensitive)
		}
		out := newTally(docs, masks, group, n, tariff{}).outcome(10, 1, newResampler(n, 1, true), nil, nil)
		if len(out.ByLabel) != 1 || out.ByLabel[0].Missed != out.Residual || out.ByLabel[0].SpansMissed != out.IdentifiersMissed {
			t.Fatalf("of FAX alone %+v stay, of all %+v and %+v", out.ByLabel, out.Residual, out.IdentifiersMissed)
		}
	}
}

func TestTenThousandLabelsAreAllCounted(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(45, 1)), 8)
	for i := range docs {
		for range 1300 {
			docs[i].Words, docs[i].Sensitive, docs[i].SpanOf = append(docs[i].Words, "n"), append(docs[i].Sensitive, true), append(docs[i].SpanOf, 900+len(docs[i].SpanOf))
		}
		docs[i].Labels = make([]annotate.Label, len(docs[i].Words))
		for x, s := range docs[i].Sensitive {
			if s {
				docs[i].Labels[x] = annotate.Label(fmt.Sprint(i, "-", x))
			}
		}
	}
	result, err := Sanitize(t.Context(), docs, params(Cost, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if o := result.Choices[0].Outcome; len(o.ByLabel) != o.Sensitive || o.Sensitive < 10000 {
		t.Errorf("%d labels for %d sensitive tokens", len(o.ByLabel), o.Sensitive)
	}
}

func TestDocumentsWithoutLabelsHaveNoCategories(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(46, 1)), 12)
	result, err := Sanitize(t.Context(), docs, params(Default, 10), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Choices[0].Outcome.ByLabel; got != nil {
		t.Errorf("%+v", got)
	}
}
