// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math/rand/v2"
	"testing"

	"hide/internal/annotate"
)

// Runs and spans by how much of them is masked, worked by hand.
func TestMaskingWorkedByHand(t *testing.T) {
	type spans = []annotate.Span
	for _, test := range []struct {
		name                             string
		gold, predicted                  spans
		runs                             [3]int // right, false alarms, missed
		covered, touched, inside, alarms [2]int // of
	}{
		{"nothing", nil, nil, [3]int{}, [2]int{}, [2]int{}, [2]int{}, [2]int{}},
		{"another label is as good", spans{span(1, 3, "N")}, spans{span(1, 3, "D")}, [3]int{1, 0, 0}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, [2]int{0, 1}},
		{"two spans that touch are one run", spans{span(1, 2, "N"), span(2, 3, "D")}, spans{span(1, 3, "N")}, [3]int{1, 0, 0}, [2]int{2, 2}, [2]int{2, 2}, [2]int{1, 1}, [2]int{0, 1}},
		{"two marks that touch are one run", spans{span(1, 3, "N")}, spans{span(1, 2, "N"), span(2, 3, "N")}, [3]int{1, 0, 0}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, [2]int{0, 1}},
		{"one token is left", spans{span(1, 3, "N"), span(5, 6, "N")}, spans{span(1, 2, "N")}, [3]int{0, 1, 2}, [2]int{0, 2}, [2]int{1, 2}, [2]int{1, 1}, [2]int{0, 1}},
		{"one token too many", spans{span(1, 3, "N")}, spans{span(0, 3, "N")}, [3]int{0, 1, 1}, [2]int{1, 1}, [2]int{1, 1}, [2]int{0, 1}, [2]int{0, 1}},
		{"a run of nothing", spans{span(1, 2, "N")}, spans{span(4, 6, "N"), span(8, 9, "D")}, [3]int{0, 2, 1}, [2]int{0, 1}, [2]int{0, 1}, [2]int{0, 2}, [2]int{2, 2}},
	} {
		m := score(test.gold, test.predicted).Masking
		if got := [3]int{m.Runs.TP, m.Runs.FP, m.Runs.FN}; got != test.runs {
			t.Errorf("%s: runs %v, want %v", test.name, got, test.runs)
		}
		for what, pair := range map[string][2][2]int{
			"covered": {{m.Spans.Covered.Count, m.Spans.Covered.Of}, test.covered},
			"touched": {{m.Spans.Touched.Count, m.Spans.Touched.Of}, test.touched},
			"inside":  {{m.Inside.Count, m.Inside.Of}, test.inside},
			"alarms":  {{m.Alarms.Count, m.Alarms.Of}, test.alarms},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s %v, want %v", test.name, what, pair[0], pair[1])
			}
		}
	}
}

func TestMaskingIsByLabelOfThePHI(t *testing.T) {
	m := score([]annotate.Span{span(0, 2, "N"), span(4, 6, "D")}, []annotate.Span{span(0, 2, "X"), span(4, 5, "X")}).Masking
	if len(m.Labels) != 2 || m.Labels["N"].Covered.Count != 1 || m.Labels["D"].Covered.Count != 0 || m.Labels["D"].Touched.Count != 1 {
		t.Errorf("%+v", m.Labels)
	}
}

// A tagger without labels gets the figures that a tagger with labels gets when both sides
// have one label, and neighbours are joined.
func TestMarksAreScoredAsRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 5))
	for range 500 {
		gold, predicted := someSpans(r, false), someSpans(r, true)
		d := document(tenTokens, gold, predicted)
		d.Unlabelled = true
		got := Of([]Prediction{d}, Options{})
		want := score(runs(d.Tokens, sorted(gold)), runs(d.Tokens, sorted(predicted)))
		named := score(gold, predicted)
		for what, pair := range map[string][2]Tally{
			"entity": {got.Entity.Micro, want.Entity.Micro}, "overlap": {got.Overlap.Micro, want.Overlap.Micro},
			"token": {got.Token.Micro, named.Binary}, "binary": {got.Binary, named.Binary},
			"tags": {got.Tags.Micro, want.Tags.Micro}, "i2b2": {got.I2B2.BinaryToken.Micro, want.I2B2.BinaryToken.Micro},
			"runs": {got.Masking.Runs, named.Masking.Runs}, "entity and runs": {got.Entity.Micro, got.Masking.Runs},
		} {
			if pair[0] != pair[1] {
				t.Fatalf("%s: %+v, want %+v; gold %v, predicted %v", what, pair[0], pair[1], gold, predicted)
			}
		}
		if got.Leaks.Tokens != named.Leaks.Tokens || len(got.Leaks.Labels) != len(named.Leaks.Labels) || len(got.Masking.Labels) != len(named.Masking.Labels) {
			t.Fatalf("leaks %+v, want %+v", got.Leaks, named.Leaks)
		}
	}
}

func TestErrorsOfMarksAreTokensLeftAndTokensTooMany(t *testing.T) {
	d := document(tenTokens, []annotate.Span{span(0, 2, "N"), span(2, 3, "D"), span(5, 7, "N")}, []annotate.Span{span(0, 3, "X"), span(6, 8, "X"), span(9, 10, "X")})
	d.Unlabelled = true
	got := ErrorsAlone([]Prediction{d})
	want := []Error{
		{Kind: Miss, Span: span(5, 7, "N"), Reason: Boundary, Leaks: 1},
		{Kind: Alarm, Span: span(6, 8, "X"), Reason: Boundary, Score: 1},
		{Kind: Alarm, Span: span(9, 10, "X"), Reason: Untold, Score: 1},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("error %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestReasonsThatNeedTheTrainingAreNotTold(t *testing.T) {
	d := document("seen by Zylber on 3/4/2019, then Zylber left", nil, nil)
	d.Spans = []annotate.Span{at(t, d.Text, "Zylber", "N"), at(t, d.Text, "3/4/2019", "D")}
	d.Predicted = []annotate.Suggestion{{Span: annotate.Span{Start: 33, End: 39, Label: "N"}}}
	got := map[Reason]int{}
	for _, e := range ErrorsAlone([]Prediction{d}) {
		got[e.Reason]++
	}
	if got[Elsewhere] != 2 || got[Untold] != 1 || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// Tags, worked by hand: a cut span has a right B and a missed I; one that begins late has
// an I where B is due.
func TestTagsWorkedByHand(t *testing.T) {
	type want struct{ tp, fp, fn int }
	r := score([]annotate.Span{span(0, 3, "N"), span(4, 6, "N"), span(8, 9, "D")}, []annotate.Span{span(0, 2, "N"), span(5, 6, "N"), span(8, 9, "N")})
	for tag, w := range map[annotate.Label]want{"B-N": {1, 2, 1}, "I-N": {1, 0, 2}, "B-D": {0, 0, 1}} {
		got := r.Tags.Labels[tag]
		if (want{got.TP, got.FP, got.FN}) != w {
			t.Errorf("%s: %+v, want %+v", tag, got, w)
		}
	}
	// Wrong are tokens 2, 4, 5 and 8; the four plain tokens are right.
	if r.Tags.Accuracy.Count != 6 || r.Tags.Accuracy.Of != 10 || len(r.Tags.Labels) != 3 {
		t.Errorf("accuracy %+v of tags %v", r.Tags.Accuracy, r.Tags.Labels)
	}
	if empty := Of([]Prediction{document("", nil, nil)}, Options{Resamples: 10}); empty.Tags.Accuracy.Of != 0 || empty.Documents != 1 {
		t.Errorf("a note without tokens: %+v", empty.Tags)
	}
}
