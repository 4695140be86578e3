// SPDX-License-Identifier: Apache-2.0

package lab

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
	"hide/internal/onnx"
)

// TestMain acts as an external tagger when the tests run it as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "tagger" {
		tagger(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// tagger is an external tagger for the tests; its argument sets its behaviour.
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

func startTagger(t *testing.T, behaviour string) (*Outside, context.Context) {
	t.Helper()
	o, err := NewOutside(os.Args[0] + " tagger " + behaviour)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := Within(t.Context(), []*Outside{o})
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
			t.Errorf("%s: %d queries for two texts", behaviour, o.asked)
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
			o.source.(*program).wait = 100 * time.Millisecond
		}
		for _, text := range []string{"Dr. Ana Ruiz", "Dr. Bo", "Dr. Lia", "Dr. Mo"} {
			o.Scores(note(text))
		}
		<-ctx.Done()
		err := context.Cause(ctx)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "outside tagger ") {
			t.Errorf("%s: got %v, want %s", behaviour, err, want)
		}
		for _, name := range []string{"Ana", "Ruiz", "Lia"} {
			if strings.Contains(err.Error(), name) {
				t.Errorf("%s: the error quotes the note", behaviour)
			}
		}
	}
}

func TestOutsideTaggerDoesNotOutliveItsWork(t *testing.T) {
	before := runtime.NumGoroutine()
	o, err := NewOutside(os.Args[0] + " tagger scores")
	if err != nil {
		t.Fatal(err)
	}
	_, stop := Within(t.Context(), []*Outside{o})
	o.Scores(note("Dr. Ana"))
	stop()
	if o.source.(*program).process.ProcessState == nil {
		t.Error("the tagger still runs")
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestOutsideTaggerThatIsNotThere(t *testing.T) {
	for _, command := range []string{"", "  ", "no-such-program-of-anybody"} {
		if _, err := NewOutside(command); err == nil {
			t.Errorf("%q: no error", command)
		}
	}
}

// An ONNX model is found by its folder; a program without ONNX Runtime says so before any
// work, and a failure later ends the work.
func TestONNXModelsAreLearnersByFolder(t *testing.T) {
	want := "config.json"
	if !onnx.Present {
		want = "-tags onnx"
	}
	if _, err := NewONNX(t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("of an empty folder: %v", err)
	}
	o := newOutside("onnx:m", `ONNX model "m"`, &network{folder: t.TempDir()})
	ctx, stop := Within(t.Context(), []*Outside{o})
	defer stop()
	if o.Name() != "onnx:m" || slices.Contains(o.Hard(note("Dr. Ana")), true) {
		t.Errorf("%s marks a token", o.Name())
	}
	if err := context.Cause(ctx); err == nil || !strings.Contains(err.Error(), `ONNX model "m"`) {
		t.Errorf("cause %v", err)
	}
}

func TestTrainingCalibratesATagger(t *testing.T) {
	o, ctx := startTagger(t, "spans")
	var views []annotate.View
	for i := range 40 { // every second name after Dr. is PHI
		a := annotate.Annotated{Document: annotate.Document{Text: "seen by Dr. Ana today and at home"}}
		if i%2 == 0 {
			a.Spans = []annotate.Span{{Start: 12, End: 15, Label: "NAME"}}
		}
		d := annotate.NewNote(a)
		views = append(views, d.View())
	}
	h, err := o.Train(ctx, views)
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Scores(views[0]); got[4] < 0.4 || got[4] > 0.6 || got[0] > 0.05 {
		t.Errorf("scores %v", got)
	}
}
