// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"hide/internal/annotate"
)

// tunable counts the views that it was corrected to.
type tunable struct {
	always
	views int
	asked *int
}

func (h tunable) CorrectPrior(_ context.Context, views []annotate.View) (Classifier, float64, error) {
	*h.asked++
	return tunable{h.always, len(views), h.asked}, 1.5, nil
}

func TestWhatReadsWholeDocumentsIsAttunedOnce(t *testing.T) {
	asked := 0
	h, later, fixed := tunable{asked: &asked}, tunable{always: true, asked: &asked}, always(true)
	e := Ensemble{{Classifier: h, Threshold: .1}, {Classifier: h, Whole: true}, {Classifier: fixed, Whole: true}}
	before := Ensemble{e[0], {Classifier: later}}
	r := &Result{Choices: []Choice{{Classifiers: e}, {Classifiers: before}}}
	rise, err := r.CorrectPrior(t.Context(), make([]annotate.Note, 3))
	if rise != 1.5 || err != nil {
		t.Errorf("odds rise by %g, %v; want 1.5", rise, err)
	}
	want := tunable{views: 3, asked: &asked}
	got, followed := r.Choices[0].Classifiers, r.Choices[1].Classifiers
	if asked != 1 || len(got) != 3 || got[0].Classifier != want || got[1].Classifier != want || got[2].Classifier != fixed {
		t.Errorf("asked %d times: %v", asked, r.Choices)
	}
	if !reflect.DeepEqual(followed, append(before, Accepted{Classifier: want, Threshold: .1, Whole: true})) {
		t.Errorf("before one that reads what others left: %v", followed)
	}
	if got[0].Threshold != .1 || !got[1].Whole || e[0].Classifier != h {
		t.Error("more than the classifier changed, or the ensemble that was given")
	}
}

func TestWithoutDocumentsNothingIsAttuned(t *testing.T) {
	asked := 0
	h := tunable{asked: &asked}
	if got, err := (Ensemble{{Classifier: h}}).PriorCorrected(t.Context(), nil); err != nil || asked != 0 || got[0].Classifier != h {
		t.Errorf("asked %d times", asked)
	}
}

// louder marks names before it is corrected, and then dates too.
type louder struct{ attuned bool }

func (h louder) Hard(v annotate.View) []bool { return likelier(h.Scores(v)) }

func (h louder) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for i, w := range v.Words {
		switch {
		case v.Hidden(i):
		case w == "Ana":
			out[i] = .9
		case w == "May" && h.attuned:
			out[i] = .6
		}
	}
	return out
}

func (h louder) CorrectPrior(context.Context, []annotate.View) (Classifier, float64, error) {
	return louder{true}, 4, nil
}

// afterDate marks what follows a date that it can read.
type afterDate struct{}

func (afterDate) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for i := 1; i < len(out); i++ {
		out[i] = v.Words[i-1] == "May" && !v.Hidden(i-1)
	}
	return out
}

func (h afterDate) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for i, hard := range h.Hard(v) {
		if hard {
			out[i] = 1
		}
	}
	return out
}

func likelier(scores []float64) []bool { return atLeast(scores, .5) }

func TestWhatIsRedactedWithoutAttuningStaysRedacted(t *testing.T) {
	d := annotate.Note{Words: []string{"Ana", "in", "May", "1990"}, Sensitive: make([]bool, 4)}
	e := Ensemble{{Classifier: louder{}, Threshold: .5}, {Classifier: afterDate{}, Threshold: .5}}
	attuned, err := e.PriorCorrected(t.Context(), []annotate.Note{d})
	if err != nil {
		t.Fatal(err)
	}
	if before := e.Redact(d); !slices.Equal(before, []bool{true, false, false, true}) {
		t.Fatalf("without: %v", before)
	}
	if got := attuned.Redact(d); !slices.Equal(got, []bool{true, false, true, true}) {
		t.Errorf("redacted %v; want the name, the date and what follows it", got)
	}
}

// unwilling fails to be corrected.
type unwilling struct{ always }

func (h unwilling) CorrectPrior(context.Context, []annotate.View) (Classifier, float64, error) {
	return nil, 1, context.Canceled
}

func TestWhatCannotBeAttunedLeavesAResultAsItWas(t *testing.T) {
	e := Ensemble{{Classifier: louder{}}}
	r := &Result{Choices: []Choice{{Classifiers: e}, {Classifiers: Ensemble{{Classifier: unwilling{true}}}}}}
	if rise, err := r.CorrectPrior(t.Context(), make([]annotate.Note, 1)); !errors.Is(err, context.Canceled) || rise != 1 || !reflect.DeepEqual(r.Choices[0].Classifiers[0], e[0]) {
		t.Errorf("%g, %v, %v", rise, err, r.Choices)
	}
}
