// SPDX-License-Identifier: Apache-2.0

package score

import (
	"strings"
	"testing"

	"hide/internal/annotate"
)

// at is the first place of words in text.
func at(t *testing.T, text, words string, label annotate.Label) annotate.Span {
	t.Helper()
	i := strings.Index(text, words)
	if i < 0 {
		t.Fatalf("the text has no %q", words)
	}
	return annotate.Span{Start: annotate.ByteOff(i), End: annotate.ByteOff(i + len(words)), Label: label}
}

func wantCounts(t *testing.T, what string, got Tally, tp, fp, fn int) {
	t.Helper()
	if got.TP != tp || got.FP != fp || got.FN != fn {
		t.Errorf("%s: %d right, %d false alarms, %d missed; want %d, %d, %d", what, got.TP, got.FP, got.FN, tp, fp, fn)
	}
}

func TestI2B2RelaxedAllowsTwoCharactersAtTheEnd(t *testing.T) {
	const text = "Villegas's husband, Müllerßß here"
	for _, test := range []struct {
		name, gold, predicted string
		label                 annotate.Label
		right                 int
	}{
		{"two characters long", "Villegas", "Villegas's", "PATIENT", 1},
		{"two characters short", "Villegas", "Villeg", "PATIENT", 1},
		{"three characters", "Villegas", "Ville", "PATIENT", 0},
		{"at the start", "Villegas", "illegas", "PATIENT", 0},
		{"another label", "Villegas", "Villegas's", "DOCTOR", 0},
		{"characters, not bytes", "Müller", "Müllerßß", "PATIENT", 1},
	} {
		r := Of([]Prediction{document(text, []annotate.Span{at(t, text, test.gold, "PATIENT")}, []annotate.Span{at(t, text, test.predicted, test.label)})}, Options{})
		wantCounts(t, test.name, r.I2B2.Relaxed.Micro, test.right, 1-test.right, 1-test.right)
		wantCounts(t, test.name+", strict", r.I2B2.Strict.Micro, 0, 1, 1)
	}
}

// The script cuts tokens out of spans, so a boundary inside a word makes two
// different tokens.
func TestI2B2TokensAreRunsOfASCIIInsideSpans(t *testing.T) {
	const text = "Mary-Ann O'Neill, Núñez"
	gold := []annotate.Span{at(t, text, "Mary-Ann O'Neill", "PATIENT"), at(t, text, "Núñez", "DOCTOR")}
	r := Of([]Prediction{document(text, gold, []annotate.Span{at(t, text, "Ann O'Nei", "PATIENT"), at(t, text, "Núñez", "PATIENT")})}, Options{})
	// Gold: Mary Ann O Neill, N ez. Predicted: Ann O Nei, N ez with another label.
	wantCounts(t, "token", r.I2B2.Token.Micro, 2, 3, 4)
	wantCounts(t, "binary token", r.I2B2.BinaryToken.Micro, 4, 1, 2)
	wantCounts(t, "binary strict", r.I2B2.BinaryStrict.Micro, 1, 1, 1)
}

func TestI2B2SpanWithoutTokensIsOneToken(t *testing.T) {
	const text = "born (…) ??"
	marks := at(t, text, "(…)", "AGE")
	r := Of([]Prediction{document(text, []annotate.Span{marks}, []annotate.Span{marks, at(t, text, "??", "AGE")})}, Options{})
	wantCounts(t, "token", r.I2B2.Token.Micro, 1, 1, 0)
}

func TestI2B2CountsAPredictionMadeTwiceOnce(t *testing.T) {
	r := score([]annotate.Span{span(0, 1, "DATE")}, []annotate.Span{span(0, 1, "DATE"), span(0, 1, "DATE")})
	wantCounts(t, "strict", r.I2B2.Strict.Micro, 1, 0, 0)
	wantCounts(t, "relaxed", r.I2B2.Relaxed.Micro, 1, 0, 0)
	wantCounts(t, "token", r.I2B2.Token.Micro, 1, 0, 0)
}

func TestI2B2HIPAALeavesOutOtherLabelsOnBothSides(t *testing.T) {
	r := score(
		[]annotate.Span{span(0, 1, "PATIENT"), span(2, 3, "DOCTOR"), span(4, 5, "idnum")},
		[]annotate.Span{span(0, 1, "PATIENT"), span(2, 3, "PATIENT"), span(4, 5, "HOSPITAL")})
	wantCounts(t, "strict", r.I2B2.Strict.Micro, 1, 2, 2)
	wantCounts(t, "HIPAA strict", r.I2B2.HIPAA.Strict.Micro, 1, 1, 1)
	wantCounts(t, "HIPAA binary", r.I2B2.HIPAA.BinaryStrict.Micro, 1, 1, 1)
	if other := score([]annotate.Span{span(0, 1, "NOMBRE")}, nil); other.I2B2.HIPAA != nil {
		t.Error("there are HIPAA figures without a label of the list")
	}
}

// Among the default labels of new projects, these are in the script's list.
func TestHIPAAListHasNineteenOfTheTasksLabels(t *testing.T) {
	n := 0
	for _, l := range annotate.I2B2().Labels() {
		if HIPAA(l) {
			n++
		}
	}
	if n != 19 || HIPAA("DOCTOR") || HIPAA("HOSPITAL") || HIPAA("PROFESSION") || !HIPAA("AGE") {
		t.Errorf("%d labels are protected", n)
	}
}

// Precision and recall of the documents are 1 and 1, 0 and 0, and, for the one
// with nothing in it, 0 and 0.
func TestI2B2MacroIsOverDocuments(t *testing.T) {
	one := []annotate.Span{span(0, 1, "DATE")}
	r := Of([]Prediction{document(tenTokens, one, one), document(tenTokens, one, nil), document(tenTokens, nil, nil)}, Options{})
	if want := (Mean{Precision: 1. / 3, Recall: 1. / 3, F1: 1. / 3, Over: 3}); r.I2B2.Strict.Macro != want {
		t.Errorf("macro %+v, want %+v", r.I2B2.Strict.Macro, want)
	}
	wantTally(t, "micro", r.I2B2.Strict.Micro, 1, 0.5, 2./3)
}
