// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math/rand/v2"
	"testing"

	"hide/internal/annotate"
)

func TestReasonIsTheFirstThatHolds(t *testing.T) {
	learn := []Prediction{
		document("seen by Weiss in May on 3/4/2019", nil, nil),
		document("Brown rash, Brown left. rash again", nil, nil),
	}
	learn[0].Spans = []annotate.Span{at(t, learn[0].Text, "Weiss", "N"), at(t, learn[0].Text, "3/4/2019", "D")}
	learn[1].Spans = []annotate.Span{at(t, learn[1].Text, "Brown", "N")}
	for _, test := range []struct {
		name, text      string
		gold, predicted string // words, "" for none
		goldL, predL    annotate.Label
		kind            Kind
		reason          Reason
		leaks           int
	}{
		{"cut short", "Anna Weiss left", "Anna Weiss", "Weiss", "N", "N", Miss, Boundary, 1},
		{"cut short, from the other side", "Anna Weiss left", "Anna Weiss", "Weiss", "N", "N", Alarm, Boundary, 0},
		{"other label", "Anna Weiss left", "Anna Weiss", "Anna Weiss", "N", "D", Miss, Relabel, 0},
		{"new form", "on 2019-04-03 only", "2019-04-03", "", "D", "", Miss, Form, 5},
		{"known form", "on 7/8/2021 only", "7/8/2021", "", "D", "", Miss, Known, 5},
		{"new word", "seen by Zylber", "Zylber", "", "N", "", Miss, Unseen, 1},
		{"ordinary word", "seen by Rash", "Rash", "", "N", "", Miss, Ordinary, 1},
		{"both ways", "seen by Brown", "Brown", "", "N", "", Miss, Ambiguous, 1},
		{"always marked", "seen by WEISS", "WEISS", "", "N", "", Miss, Known, 1},
		{"the rarest word decides", "seen by Weiss Zylber", "Weiss Zylber", "", "N", "", Miss, Unseen, 2},
		{"alarm on a new word", "took Zylber", "", "Zylber", "", "N", Alarm, Unseen, 0},
		{"alarm on an ordinary word", "took rash", "", "rash", "", "N", Alarm, Ordinary, 0},
	} {
		d := document(test.text, nil, nil)
		if test.gold != "" {
			d.Spans = []annotate.Span{at(t, test.text, test.gold, test.goldL)}
		}
		if test.predicted != "" {
			d.Predicted = []annotate.Suggestion{{Span: at(t, test.text, test.predicted, test.predL), Score: 0.5}}
		}
		found := false
		for _, e := range ErrorsAfter([]Prediction{d}, learn) {
			if e.Kind == test.kind {
				found = true
				if e.Reason != test.reason || e.Leaks != test.leaks {
					t.Errorf("%s: reason %s with %d leaks, want %s with %d", test.name, e.Reason, e.Leaks, test.reason, test.leaks)
				}
			}
		}
		if !found {
			t.Errorf("%s: no %s", test.name, test.kind)
		}
	}
}

func TestSameTextFoundElsewhereInTheDocument(t *testing.T) {
	const text = "Zylber came. ZYLBER left."
	first, second := at(t, text, "Zylber", "N"), at(t, text, "ZYLBER", "N")
	missed := ErrorsAfter([]Prediction{document(text, []annotate.Span{first, second}, []annotate.Span{second})}, nil)
	if len(missed) != 1 || missed[0].Reason != Elsewhere || missed[0].Span != first || missed[0].Kind != Miss {
		t.Errorf("missed %+v", missed)
	}
	alarm := ErrorsAfter([]Prediction{document(text, []annotate.Span{second}, []annotate.Span{first, second})}, nil)
	if len(alarm) != 1 || alarm[0].Reason != Elsewhere || alarm[0].Kind != Alarm {
		t.Errorf("alarms %+v", alarm)
	}
}

// A document's own annotations do not count as seen: its model was trained without
// them.
func TestHeldOutDocumentsDoNotCountAsSeen(t *testing.T) {
	const text = "by Weiss"
	gold := []annotate.Span{at(t, text, "Weiss", "N")}
	docs := []Prediction{document(text, gold, nil), document("by nobody", nil, nil)}
	if e := Errors(docs, []int{0, 1}); len(e) != 1 || e[0].Reason != Unseen {
		t.Errorf("alone in its fold: %+v", e)
	}
	docs = append(docs, document(text, gold, gold))
	if e := Errors(docs, []int{0, 1, 1}); len(e) != 1 || e[0].Reason != Known {
		t.Errorf("known from another fold: %+v", e)
	}
	if e := Errors(docs, []int{0, 1, 0}); len(e) != 1 || e[0].Reason != Unseen {
		t.Errorf("known from its own fold only: %+v", e)
	}
}

func TestErrorsAreWhatTheEntityScoreCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 300 {
		docs, fold := make([]Prediction, 4), []int{0, 1, 0, 1}
		for i := range docs {
			docs[i] = document(tenTokens, someSpans(r, false), someSpans(r, false))
		}
		want, leaks, misses, alarms := Of(docs, Options{}), 0, 0, 0
		for _, e := range Errors(docs, fold) {
			leaks += e.Leaks
			misses += count(e.Kind == Miss)
			alarms += count(e.Kind == Alarm)
		}
		if m := want.Entity.Micro; misses != m.FN || alarms != m.FP || leaks != want.Leaks.Tokens.Count {
			t.Fatalf("%d misses, %d alarms, %d leaks; the score has %+v and %+v", misses, alarms, leaks, m, want.Leaks.Tokens)
		}
	}
}

func TestScoreOfAMissIsWhatTheModelThoughtOfIt(t *testing.T) {
	d := document(tenTokens, []annotate.Span{span(2, 4, "N")}, nil)
	d.Probability = []float64{0, 0, 0.2, 0.4, 0, 0, 0, 0, 0, 0}
	e := ErrorsAfter([]Prediction{d}, nil)
	if len(e) != 1 || e[0].Score < 0.299 || e[0].Score > 0.301 {
		t.Errorf("%+v, want a score of 0.3", e)
	}
}

func TestGroupsFoldCaseAndKeepKindsAndLabelsApart(t *testing.T) {
	const text = "Zoë zoë ZOË may"
	name := func(i int, l annotate.Label) annotate.Span {
		return annotate.Span{Start: annotate.ByteOff(5 * i), End: annotate.ByteOff(5*i + 4), Label: l}
	}
	errors := []Error{
		{Document: 0, Kind: Miss, Span: name(0, "N"), Reason: Unseen, Leaks: 1},
		{Document: 1, Kind: Miss, Span: name(1, "N"), Reason: Known, Leaks: 1},
		{Document: 1, Kind: Miss, Span: name(2, "N"), Reason: Unseen, Leaks: 1},
		{Document: 1, Kind: Miss, Span: name(2, "D"), Reason: Relabel},
		{Document: 1, Kind: Alarm, Span: name(2, "N"), Reason: Unseen},
	}
	groups := Groups(errors, func(e Error) string { return e.Span.Surface(text) })
	if len(groups) != 3 {
		t.Fatalf("%d groups, want 3", len(groups))
	}
	g := groups[0]
	if g.Text != "zoë" || g.Kind != Miss || g.Label != "N" || g.Count != 3 || g.Documents != 2 || g.Leaks != 3 || len(g.Errors) != 3 {
		t.Errorf("largest group %+v", g)
	}
	want := []ReasonCount{{Miss, Unseen, 2, 2, 2}, {Miss, Known, 1, 1, 1}}
	if len(g.Reasons) != 2 || g.Reasons[0] != want[0] || g.Reasons[1] != want[1] {
		t.Errorf("reasons %+v", g.Reasons)
	}
}

func TestEveryReasonHasWords(t *testing.T) {
	for _, kind := range []Kind{Miss, Alarm, ""} {
		seen := map[string]bool{}
		for _, r := range Reasons() {
			if w := r.Words(kind); w == string(r) || seen[w] {
				t.Errorf("%s of a %s says %q", r, kind, w)
			} else {
				seen[w] = true
			}
		}
	}
}
