// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math"
	"reflect"
	"testing"

	"hide/internal/annotate"
)

// span counts in tokens of the text "t0 t1 t2 ...".
func span(from, to int, label annotate.Label) annotate.Span {
	return annotate.Span{Start: annotate.ByteOff(3 * from), End: annotate.ByteOff(3*to - 1), Label: label}
}

const tenTokens = "t0 t1 t2 t3 t4 t5 t6 t7 t8 t9"

func document(text string, gold, predicted []annotate.Span) Prediction {
	suggestions := make([]annotate.Suggestion, len(predicted))
	for i, s := range predicted {
		suggestions[i] = annotate.Suggestion{Span: s, Score: 1}
	}
	return predict(annotate.Annotated{Document: annotate.Document{Text: text}, Spans: gold}, suggestions)
}

func score(gold, predicted []annotate.Span) Report {
	return Of([]Prediction{document(tenTokens, gold, predicted)}, Options{})
}

// Every case of how spans can differ, with entity, overlap and token counts
// (right, false alarms, missed) worked by hand.
func TestConfusionsWorkedByHand(t *testing.T) {
	type spans = []annotate.Span
	type counts [3]int
	tests := []struct {
		name                           string
		gold, predicted                spans
		entity, overlap, token, binary counts
		leaks                          int
	}{
		{"nothing to find and nothing found", nil, nil, counts{}, counts{}, counts{}, counts{}, 0},
		{"all right in any order", spans{span(0, 2, "N"), span(5, 6, "D")}, spans{span(5, 6, "D"), span(0, 2, "N")},
			counts{2, 0, 0}, counts{2, 0, 0}, counts{3, 0, 0}, counts{3, 0, 0}, 0},
		{"empty prediction", spans{span(0, 2, "N"), span(3, 4, "D")}, nil,
			counts{0, 0, 2}, counts{0, 0, 2}, counts{0, 0, 3}, counts{0, 0, 3}, 3},
		{"everything predicted", spans{span(3, 4, "N")}, spans{span(0, 10, "N")},
			counts{0, 1, 1}, counts{1, 0, 0}, counts{1, 9, 0}, counts{1, 9, 0}, 0},
		{"everything predicted, token by token", spans{span(3, 4, "N")},
			spans{span(0, 1, "N"), span(1, 2, "N"), span(2, 3, "N"), span(3, 4, "N"), span(4, 5, "N")},
			counts{1, 4, 0}, counts{1, 4, 0}, counts{1, 4, 0}, counts{1, 4, 0}, 0},
		{"boundary one token short", spans{span(0, 2, "N")}, spans{span(0, 1, "N")},
			counts{0, 1, 1}, counts{1, 0, 0}, counts{1, 0, 1}, counts{1, 0, 1}, 1},
		{"boundary one token long", spans{span(0, 2, "N")}, spans{span(0, 3, "N")},
			counts{0, 1, 1}, counts{1, 0, 0}, counts{2, 1, 0}, counts{2, 1, 0}, 0},
		{"boundary inside a token", spans{span(0, 2, "N")}, spans{{Start: 0, End: 4, Label: "N"}},
			counts{0, 1, 1}, counts{1, 0, 0}, counts{2, 0, 0}, counts{2, 0, 0}, 0},
		{"label swapped", spans{span(0, 2, "N")}, spans{span(0, 2, "D")},
			counts{0, 1, 1}, counts{0, 1, 1}, counts{0, 2, 2}, counts{2, 0, 0}, 0},
		{"span split", spans{span(0, 2, "N")}, spans{span(0, 1, "N"), span(1, 2, "N")},
			counts{0, 2, 1}, counts{1, 1, 0}, counts{2, 0, 0}, counts{2, 0, 0}, 0},
		{"spans merged", spans{span(0, 1, "N"), span(2, 3, "N")}, spans{span(0, 3, "N")},
			counts{0, 1, 2}, counts{1, 0, 1}, counts{2, 1, 0}, counts{2, 1, 0}, 0},
		{"adjacent spans stay two", spans{span(0, 1, "N"), span(1, 2, "N")}, spans{span(0, 1, "N"), span(1, 2, "N")},
			counts{2, 0, 0}, counts{2, 0, 0}, counts{2, 0, 0}, counts{2, 0, 0}, 0},
		{"an adjacent span shares no character", spans{span(0, 1, "N")}, spans{{Start: 2, End: 5, Label: "N"}},
			counts{0, 1, 1}, counts{0, 1, 1}, counts{0, 1, 1}, counts{0, 1, 1}, 1},
		{"a prediction made twice is right once", spans{span(0, 1, "N")}, spans{span(0, 1, "N"), span(0, 1, "N")},
			counts{1, 1, 0}, counts{1, 1, 0}, counts{1, 0, 0}, counts{1, 0, 0}, 0},
		{"nested predictions never count twice", spans{span(0, 3, "N")}, spans{span(0, 3, "N"), span(1, 2, "N")},
			counts{1, 1, 0}, counts{1, 1, 0}, counts{3, 0, 0}, counts{3, 0, 0}, 0},
		{"overlap pairs as many as possible", spans{span(1, 2, "N"), span(5, 6, "N")}, spans{span(0, 8, "N"), span(1, 2, "N")},
			counts{1, 1, 1}, counts{2, 0, 0}, counts{2, 6, 0}, counts{2, 6, 0}, 0},
	}
	for _, test := range tests {
		r := score(test.gold, test.predicted)
		for _, way := range []struct {
			name string
			got  Tally
			want counts
		}{{"entity", r.Entity.Micro, test.entity}, {"overlap", r.Overlap.Micro, test.overlap}, {"token", r.Token.Micro, test.token}, {"binary", r.Binary, test.binary}} {
			if got := (counts{way.got.TP, way.got.FP, way.got.FN}); got != way.want {
				t.Errorf("%s: %s %v, want %v", test.name, way.name, got, way.want)
			}
		}
		if r.Leaks.Tokens.Count != test.leaks || r.DocumentsWithLeak != min(test.leaks, 1) {
			t.Errorf("%s: %d tokens and %d documents leak, want %d tokens", test.name, r.Leaks.Tokens.Count, r.DocumentsWithLeak, test.leaks)
		}
	}
}

func wantTally(t *testing.T, what string, got Tally, precision, recall, f1 float64) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if !near(got.Precision, precision) || !near(got.Recall, recall) || !near(got.F1, f1) {
		t.Errorf("%s: precision %g, recall %g, F1 %g; want %g, %g, %g", what, got.Precision, got.Recall, got.F1, precision, recall, f1)
	}
}

// A scorer that shows precision 1 for any prediction divides the right predictions by
// themselves.
func TestFalseAlarmsLowerPrecision(t *testing.T) {
	r := score([]annotate.Span{span(0, 1, "N")}, []annotate.Span{span(0, 1, "N"), span(2, 3, "N"), span(4, 5, "N"), span(6, 7, "N")})
	wantTally(t, "entity", r.Entity.Micro, 0.25, 1, 0.4)
	wantTally(t, "label", r.Entity.Labels["N"], 0.25, 1, 0.4)
	wantTally(t, "token", r.Token.Micro, 0.25, 1, 0.4)
	wantTally(t, "binary", r.Binary, 0.25, 1, 0.4)
	wantTally(t, "i2b2", r.I2B2.Strict.Micro, 0.25, 1, 0.4)
}

// Five hits, five misses and ninety false alarms: (100-5)/100 would show a recall
// of 0.95, as agreement over all tokens would.
func TestFalseAlarmsAndPlainTokensNeverRaiseRecall(t *testing.T) {
	var text string
	var gold, predicted []annotate.Span
	for i := range 1000 {
		at := annotate.ByteOff(2 * i)
		text += "a "
		one := annotate.Span{Start: at, End: at + 1, Label: "N"}
		switch {
		case i < 5:
			gold, predicted = append(gold, one), append(predicted, one)
		case i < 10:
			gold = append(gold, one)
		case i < 100:
			predicted = append(predicted, one)
		}
	}
	r := Of([]Prediction{document(text, gold, predicted)}, Options{})
	for name, got := range map[string]Tally{
		"entity": r.Entity.Micro, "overlap": r.Overlap.Micro, "token": r.Token.Micro, "binary": r.Binary,
		"i2b2 strict": r.I2B2.Strict.Micro, "i2b2 token": r.I2B2.Token.Micro, "i2b2 binary": r.I2B2.BinaryToken.Micro,
	} {
		wantTally(t, name, got, 5./95, 0.5, 10./105)
	}
	wantTally(t, "macro", Tally{Precision: r.Token.Macro.Precision, Recall: r.Token.Macro.Recall, F1: r.Token.Macro.F1}, 5./95, 0.5, 10./105)
}

func TestTaggerThatSaysNothingGetsNothing(t *testing.T) {
	r := score([]annotate.Span{span(0, 1, "N")}, nil)
	for name, got := range map[string]Tally{"entity": r.Entity.Micro, "overlap": r.Overlap.Micro, "token": r.Token.Micro, "binary": r.Binary} {
		wantTally(t, name, got, 0, 0, 0)
	}
}

func TestLabelsAddUpToMicroAndMacroIsOverGoldLabels(t *testing.T) {
	r := Of([]Prediction{
		document(tenTokens, []annotate.Span{span(0, 2, "N"), span(4, 5, "D")}, []annotate.Span{span(0, 2, "N"), span(4, 5, "A")}),
		document(tenTokens, []annotate.Span{span(1, 2, "D")}, []annotate.Span{span(1, 2, "D"), span(7, 8, "N")}),
	}, Options{})
	want := map[annotate.Label]Tally{
		"N": {Precision: 0.5, Recall: 1, F1: 2. / 3, TP: 1, FP: 1},
		"D": {Precision: 1, Recall: 0.5, F1: 2. / 3, TP: 1, FN: 1},
		"A": {FP: 1},
	}
	if !reflect.DeepEqual(r.Entity.Labels, want) {
		t.Errorf("labels %+v", r.Entity.Labels)
	}
	if (r.Entity.Micro != Tally{Precision: 0.5, Recall: 2. / 3, F1: 4. / 7, TP: 2, FP: 2, FN: 1}) {
		t.Errorf("micro %+v", r.Entity.Micro)
	}
	if (r.Entity.Macro != Mean{Precision: 0.75, Recall: 0.75, F1: 2. / 3, Over: 2}) {
		t.Errorf("macro %+v; A, which gold does not have, must not be in it", r.Entity.Macro)
	}
}

func TestLeaksAreByDocumentPatientTokenAndLabel(t *testing.T) {
	gold := []annotate.Span{span(0, 2, "N"), span(4, 5, "D")}
	docs := []Prediction{
		document(tenTokens, gold, []annotate.Span{span(0, 1, "D"), span(4, 5, "D")}), // one token of N leaks; the wrong label does not
		document(tenTokens, gold, gold),
		document(tenTokens, nil, nil),
		document(tenTokens, gold, []annotate.Span{span(0, 10, "X")}),
		document(tenTokens, []annotate.Span{span(8, 9, "N")}, nil),
	}
	docs[0].Patient, docs[1].Patient, docs[2].Patient = "a", "a", "b"
	r := Of(docs, Options{})
	if r.Leaks.Documents != (Share{Count: 2, Of: 5, Share: 0.4}) || *r.Leaks.Patients != (Share{Count: 1, Of: 2, Share: 0.5}) {
		t.Errorf("documents %+v, patients %+v", r.Leaks.Documents, *r.Leaks.Patients)
	}
	want := map[annotate.Label]Share{"N": {Count: 2, Of: 7, Share: 2. / 7}, "D": {Count: 0, Of: 3}}
	if r.Leaks.Tokens.Count != 2 || r.Leaks.Tokens.Of != 10 || !reflect.DeepEqual(r.Leaks.Labels, want) {
		t.Errorf("tokens %+v, labels %+v", r.Leaks.Tokens, r.Leaks.Labels)
	}
	if unnamed := score(nil, nil); unnamed.Leaks.Patients != nil {
		t.Error("patients are counted where none is named")
	}
}

func predict(a annotate.Annotated, suggestions []annotate.Suggestion) Prediction {
	n := annotate.NewNote(a)
	return Prediction{Note: &n, Predicted: suggestions}
}
