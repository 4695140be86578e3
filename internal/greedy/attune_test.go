// SPDX-License-Identifier: Apache-2.0

package greedy

import "testing"

// tunable counts the views that it was attuned to.
type tunable struct {
	always
	views int
	asked *int
}

func (h tunable) Attune(views []View) Classifier {
	*h.asked++
	return tunable{h.always, len(views), h.asked}
}

func TestWhatReadsWholeDocumentsIsAttunedOnce(t *testing.T) {
	asked := 0
	h, later, fixed := tunable{asked: &asked}, tunable{always: true, asked: &asked}, always(true)
	e := Ensemble{{Classifier: h, Threshold: .1}, {Classifier: later}, {Classifier: h, Whole: true}, {Classifier: fixed, Whole: true}}
	r := &Result{Choices: []Choice{{Classifiers: e}, {Classifiers: e[:1]}}}
	r.Attune(make([]Doc, 3))
	want := tunable{views: 3, asked: &asked}
	got := r.Choices[0].Classifiers
	if asked != 1 || got[0].Classifier != want || got[1].Classifier != later || got[2].Classifier != want || got[3].Classifier != fixed || r.Choices[1].Classifiers[0].Classifier != want {
		t.Errorf("asked %d times: %v", asked, r.Choices)
	}
	if got[0].Threshold != .1 || !got[2].Whole || e[0].Classifier != h {
		t.Error("more than the classifier changed, or the ensemble that was given")
	}
}

func TestWithoutDocumentsNothingIsAttuned(t *testing.T) {
	asked := 0
	h := tunable{asked: &asked}
	if got := (Ensemble{{Classifier: h}}).Attuned(nil); asked != 0 || got[0].Classifier != h {
		t.Errorf("asked %d times", asked)
	}
}
