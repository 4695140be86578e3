// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func annotated(text string, spans ...string) Searched {
	d := annotate.Annotated{Document: annotate.Document{Text: text}}
	for i := 0; i < len(spans); i += 2 {
		at := annotate.ByteOff(strings.Index(text, spans[i]))
		d.Spans = append(d.Spans, annotate.Span{Start: at, End: at + annotate.ByteOff(len(spans[i])), Label: annotate.Label(spans[i+1])})
	}
	return Searched{new(annotate.NewNote(d)), Find(text)}
}

func labels(names ...annotate.Label) annotate.LabelSet { return annotate.LabelSet(nil).With(names...) }

func suggested(text string, all []annotate.Suggestion) map[string]annotate.Label {
	out := map[string]annotate.Label{}
	for _, s := range all {
		out[s.Span.Surface(text)] = s.Span.Label
	}
	return out
}

const visit = "Dr. Okafor saw a 42-year-old on 3/4/2019."

func TestRulesUseTheUsualLabelsUntilTheyHaveLearnt(t *testing.T) {
	got := suggested(visit, Guide(nil).Suggest(annotate.I2B2(), Find(visit)))
	want := map[string]annotate.Label{"Okafor": "DOCTOR", "42": "AGE", "3/4/2019": "DATE"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Guide(nil).Suggest(labels("FECHA"), Find(visit)); len(got) != 0 {
		t.Errorf("%d suggestions under a label that is not known to mean dates", len(got))
	}
}

func TestRulesLearnWhatAProjectCallsThings(t *testing.T) {
	g := Learn([]Searched{annotated(visit, "Okafor", "MEDICO", "3/4/2019", "FECHA")})
	got := suggested(visit, g.Suggest(labels("FECHA", "MEDICO", "EDAD"), Find(visit)))
	want := map[string]annotate.Label{"Okafor": "MEDICO", "3/4/2019": "FECHA"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestARuleThatIsMostlyWrongFallsSilent(t *testing.T) {
	var finished []Searched
	for range 3 {
		finished = append(finished, annotated(visit, "Okafor", "DOCTOR", "3/4/2019", "DATE"))
	}
	for n, want := range []bool{true, true, true, false} {
		_, right, ok := Learn(finished[:n]).Name(Age, annotate.I2B2())
		if ok != want {
			t.Errorf("after %d notes in which no age is marked: suggested %v, right %.2f", n, ok, right)
		}
	}
	if _, right, ok := Learn(finished).Name(Date, annotate.I2B2()); !ok || right != 6.0/7 {
		t.Errorf("dates, right 3 times of 3: %v, %.3f; want 6/7", ok, right)
	}
}

// TestRecallCountsTokensUnderTheRightLabel has expected values computed by hand: all five
// tokens of the date are found, one of three tokens of the two doctors is, and a finding
// labelled as a patient's name does not count for a doctor.
func TestRecallCountsTokensUnderTheRightLabel(t *testing.T) {
	d := annotated("Dr. Okafor and Lena Khan, Mrs. Weiss, 3/4/2019. Ward 7.", "Okafor", "DOCTOR", "Lena Khan", "DOCTOR", "Weiss", "DOCTOR", "3/4/2019", "DATE", "7", "ROOM")
	got := Guide(nil).Recall(annotate.I2B2(), []Searched{d, annotated("Nothing here.")})
	want := map[annotate.Label][]Share{
		"DOCTOR": {{1, 4}, {}}, "DATE": {{5, 5}, {}}, "ROOM": {{0, 1}, {}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
