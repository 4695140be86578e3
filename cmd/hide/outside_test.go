// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hide/internal/annotate"
)

// tagger is an outside tagger for the tests; its argument says how it behaves.
func tagger(behaviour string) {
	in := bufio.NewScanner(os.Stdin)
	if behaviour == "deaf" {
		select {}
	}
	for n := 1; in.Scan(); n++ {
		var d struct{ ID, Text string }
		if err := json.Unmarshal(in.Bytes(), &d); err != nil {
			os.Exit(3)
		}
		if behaviour == "quits" && n == 3 {
			return
		}
		fmt.Fprintln(os.Stderr, d.Text)
		fmt.Println(behave(behaviour, d.ID, d.Text))
	}
}

func behave(behaviour, id, text string) string {
	tokens := annotate.Tokenize(text)
	scores := make([]float64, len(tokens))
	var spans []map[string]any
	for k, t := range tokens {
		w := text[t.Start:t.End]
		if before := text[:t.Start]; strings.HasSuffix(before, "Dr. ") || k > 0 && scores[k-1] > 0 && w[0] >= 'A' && w[0] <= 'Z' {
			scores[k] = 0.875
			spans = append(spans, map[string]any{"start": utf8.RuneCountInString(before), "end": utf8.RuneCountInString(text[:t.End]), "score": 0.875, "label": "X"})
		}
	}
	answer := map[string]any{"id": id, "scores": scores}
	switch behaviour {
	case "spans":
		answer = map[string]any{"id": id, "text": text, "spans": spans}
		if spans == nil {
			answer["spans"] = []string{}
		}
	case "echo":
		return text
	case "more":
		answer["scores"] = append(scores, 0)
	}
	b, _ := json.Marshal(answer)
	return string(b)
}

func startTagger(t *testing.T, behaviour string) (*outside, context.Context) {
	t.Helper()
	o, err := newOutside("tagger " + behaviour)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := within(t.Context(), []*outside{o})
	t.Cleanup(stop)
	return o, ctx
}

func note(text string, redacted ...int) annotate.View {
	d := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text}})
	v := annotate.View{Note: &d, Redacted: make([]bool, len(d.Words))}
	for _, x := range redacted {
		v.Redacted[x] = true
	}
	return v
}

func TestOutsideTaggerScoresWhatIsPublished(t *testing.T) {
	for _, behaviour := range []string{"scores", "spans"} {
		o, ctx := startTagger(t, behaviour)
		v := note("Schön: Dr. Ana Ruiz saw Dr. Bo\nDr. Lia", 4, 9) // Ana and Bo are redacted
		want := make([]float64, len(v.Words))
		want[12] = 0.875
		if got := o.Scores(v); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", behaviour, got, want)
		}
		plain := note("Dr. Ana Ruiz")
		if got := o.Hard(plain); !slices.Equal(got, []bool{false, false, true, true}) {
			t.Errorf("%s: marks %v", behaviour, got)
		}
		o.Scores(v)
		if o.asked != 2 {
			t.Errorf("%s: asked %d times about two texts", behaviour, o.asked)
		}
		if err := context.Cause(ctx); err != nil {
			t.Errorf("%s: %v", behaviour, err)
		}
	}
}

func TestOutsideTaggerThatFailsEndsTheWork(t *testing.T) {
	for behaviour, want := range map[string]string{
		"deaf":  "document 1: no answer for 100ms",
		"quits": "document 3: it ended without an answer",
		"echo":  "document 1: its answer: not an object",
		"more":  "document 1: its answer: 5 scores for 4 tokens",
	} {
		o, ctx := startTagger(t, behaviour)
		if behaviour == "deaf" {
			o.wait = 100 * time.Millisecond
		}
		for _, text := range []string{"Dr. Ana Ruiz", "Dr. Bo", "Dr. Lia", "Dr. Mo"} {
			o.Scores(note(text))
		}
		<-ctx.Done()
		err := context.Cause(ctx)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `outside tagger "tagger"`) {
			t.Errorf("%s: got %v, want %s", behaviour, err, want)
		}
		for _, name := range []string{"Ana", "Ruiz", "Lia"} {
			if strings.Contains(err.Error(), name) {
				t.Errorf("%s: the error says what the note says", behaviour)
			}
		}
	}
}

func TestOutsideTaggerDoesNotOutliveItsWork(t *testing.T) {
	before := runtime.NumGoroutine()
	o, err := newOutside("tagger scores")
	if err != nil {
		t.Fatal(err)
	}
	_, stop := within(t.Context(), []*outside{o})
	o.Scores(note("Dr. Ana"))
	stop()
	if o.process.ProcessState == nil {
		t.Error("it has not ended")
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestOutsideTaggerThatIsNotThere(t *testing.T) {
	for _, command := range []string{"", "  ", "no-such-program-of-anybody"} {
		if _, err := newOutside(command); err == nil {
			t.Errorf("%q: no error", command)
		}
	}
}

func TestParseAnswerRefusesWhatItDoesNotUnderstand(t *testing.T) {
	const text = "Dr. Müller" // three tokens, ten code points
	for answer, want := range map[string]string{
		``:                                     "not an object",
		`[]`:                                   "not an object",
		`{"id":"1","scores":[0,0,1],"x":1}`:    "not an object",
		`{"id":"1","scores":[0,0,1]} {}`:       "something follows",
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
		_, err := parseAnswer([]byte(answer), "1", text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Müller") {
			t.Errorf("%s: got %v, want %s", answer, err, want)
		}
	}
}

func oneSpan(start, end int, more string) string {
	return fmt.Sprintf(`{"id":"1","spans":[{"start":%d,"end":%d%s}]}`, start, end, more)
}

func TestParseAnswerCountsCodePoints(t *testing.T) {
	got, err := parseAnswer([]byte(oneSpan(6, 9, `,"score":0.25,"label":"NAME"`)), "1", "Ä Ö Dr. Müller")
	if err != nil || !slices.Equal(got, []float64{0, 0, 0, 0.25, 0.25}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err = parseAnswer([]byte(oneSpan(0, 1, "")), "1", "Ä Ö"); err != nil || !slices.Equal(got, []float64{1, 0}) {
		t.Errorf("got %v, %v", got, err)
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
		scores, err := parseAnswer(answer, "1", text)
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
