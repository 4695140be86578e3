// SPDX-License-Identifier: Apache-2.0

package ndjson

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
)

func TestParseAnswerRefusesWhatItDoesNotUnderstand(t *testing.T) {
	const text = "Dr. Müller" // three tokens, ten code points
	for answer, want := range map[string]string{
		``:                                     "not an object",
		`[]`:                                   "not an object",
		`{"id":"1","scores":[0,0,1],"x":1}`:    "not an object",
		`{"id":"1","scores":[0,0,1]} {}`:       "unexpected data after",
		`{"id":"1"}`:                           `"spans" or "scores"`,
		`{"id":"1","scores":[],"spans":[]}`:    "one of them",
		`{"scores":[0,0,1]}`:                   `"id" is not`,
		`{"id":"2","scores":[0,0,1]}`:          `"id" is not`,
		`{"id":"1","scores":[0,0]}`:            "2 scores for 3 tokens",
		`{"id":"1","scores":[0,0,1.5]}`:        "score 2",
		`{"id":"1","scores":[0,-1,1]}`:         "score 1",
		`{"id":"1","scores":[0,0,"1"]}`:        "not an object",
		`{"id":"1","spans":[{"start":4}]}`:     "span 0",
		`{"id":"1","spans":[{"end":4}]}`:       "span 0",
		oneSpan(4, 11, ""):                     "not inside",
		oneSpan(-1, 3, ""):                     "not inside",
		oneSpan(4, 4, ""):                      "not inside",
		oneSpan(4, 10, `,"score":2`):           "score of span 0",
		`{"id":"1","text":"Dr.","scores":[0]}`: "not the text",
	} {
		_, err := ParseAnswer([]byte(answer), "1", text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Müller") {
			t.Errorf("%s: got %v, want %s", answer, err, want)
		}
	}
}

func oneSpan(start, end int, more string) string {
	return fmt.Sprintf(`{"id":"1","spans":[{"start":%d,"end":%d%s}]}`, start, end, more)
}

func TestParseAnswerCountsCodePoints(t *testing.T) {
	got, err := ParseAnswer([]byte(oneSpan(6, 9, `,"score":0.25,"label":"NAME"`)), "1", "Ä Ö Dr. Müller")
	if err != nil || !slices.Equal(got, []float64{0, 0, 0, 0.25, 0.25}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err = ParseAnswer([]byte(oneSpan(0, 1, "")), "1", "Ä Ö"); err != nil || !slices.Equal(got, []float64{1, 0}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestAnswerWithAFieldInTwoCasesIsRefused(t *testing.T) {
	if got, err := ParseAnswer([]byte(`{"id":"1","scores":[0.5],"Scores":[0]}`), "1", "x"); err == nil {
		t.Errorf("got %v", got)
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte(oneSpan(6, 9, `,"score":0.25`)), "Ä Ö Dr. Müller")
	f.Add([]byte(`{"id":"1","scores":[0.5]}`), "x")
	f.Add([]byte(`{"id":"1","spans":[]}`), "")
	f.Fuzz(func(t *testing.T, answer []byte, text string) {
		if !utf8.ValidString(text) {
			return
		}
		scores, err := ParseAnswer(answer, "1", text)
		if err != nil {
			return
		}
		if len(scores) != len(annotate.Tokenize(text)) {
			t.Fatalf("%d scores", len(scores))
		}
		for _, p := range scores {
			if !(p >= 0 && p <= 1) {
				t.Fatalf("a score is %g", p)
			}
		}
	})
}
