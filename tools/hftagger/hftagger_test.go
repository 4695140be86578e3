// SPDX-License-Identifier: Apache-2.0

// Package hftagger tests hftagger.py, with stubs in place of torch and transformers: its
// windows, places and scores are the test's subject, not a model.
package hftagger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

type span struct {
	Start, End int
	Score      float64
}

// tag runs the program. Standard error is part of the error.
func tag(t *testing.T, lines []string, args ...string) (answers [][]span, err error) {
	t.Helper()
	python, missing := exec.LookPath("python3")
	if missing != nil {
		t.Skip("hftagger.py was not tested: there is no python3")
	}
	c := exec.CommandContext(t.Context(), python, append([]string{"hftagger.py"}, args...)...)
	var out, log bytes.Buffer
	c.Env = append(os.Environ(), "PYTHONPATH=testdata/stub", "PYTHONDONTWRITEBYTECODE=1")
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(strings.Join(lines, "\n")), &out, &log
	if err = c.Run(); err != nil {
		err = fmt.Errorf("%w: %s", err, log.String())
	}
	for line := range strings.Lines(out.String()) {
		var a struct {
			ID    string
			Spans []span
		}
		if json.Unmarshal([]byte(line), &a) != nil || a.ID != fmt.Sprint(len(answers)) {
			t.Fatalf("answered %s", line)
		}
		answers = append(answers, a.Spans)
	}
	return answers, err
}

func note(id int, text string) string {
	b, _ := json.Marshal(map[string]string{"id": fmt.Sprint(id), "text": text})
	return string(b)
}

func TestEveryPieceOfANameIsFoundAtItsPlace(t *testing.T) {
	long := strings.Repeat("the día 😀 with Gonzalo ", 30)
	notes := []string{"we saw Ana, and Gonzalo too", "", long}
	found, err := tag(t, []string{note(0, notes[0]), note(1, notes[1]), note(2, notes[2])}, "model")
	if err != nil {
		t.Fatal(err)
	}
	if same, err := tag(t, []string{note(0, notes[0]), note(1, notes[1]), note(2, notes[2])}, "roberta"); err != nil || !reflect.DeepEqual(same, found) {
		t.Errorf("a model that numbers places from 2 on: %v", err)
	}
	for i, text := range notes {
		runes, pieces := []rune(text), ""
		for _, s := range found[i] {
			pieces += string(runes[s.Start:s.End]) + " "
			if s.Score < 0.78 {
				t.Errorf("note %d: %q has %g", i, string(runes[s.Start:s.End]), s.Score)
			}
		}
		want := strings.ReplaceAll(map[int]string{0: "Ana Gon zal o ", 2: strings.Repeat("Gon zal o ", 30)}[i], "\n", "")
		if pieces != want {
			t.Errorf("note %d: found %q", i, pieces)
		}
	}
}

// In a window of 12 tokens with a stride of 3 a token of two windows has the surer score,
// that of the window in whose middle it stands.
func TestATokenHasTheScoreOfItsBestWindow(t *testing.T) {
	found, err := tag(t, []string{note(0, strings.Repeat("Ana ", 40))}, "model", "--stride", "6")
	if err != nil || len(found[0]) != 40 {
		t.Fatalf("%d spans, %v", len(found[0]), err)
	}
	for i, s := range found[0] {
		if i > 5 && i < 34 && s.Score < 0.97 {
			t.Errorf("token %d has %g", i, s.Score)
		}
	}
}

func TestModelsWithoutPlacesOrOAreRefused(t *testing.T) {
	for folder, want := range map[string]string{"slow": "no fast tokenizer", "unnamed": "none of the model's labels is O"} {
		if _, err := tag(t, []string{note(0, "Ana")}, folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", folder, err)
		}
	}
	if _, err := tag(t, []string{note(0, "x"), "Lia"}, "model"); err == nil || !strings.Contains(err.Error(), "line 2 is not an object") || strings.Contains(err.Error(), "Lia") {
		t.Errorf("%v", err)
	}
}

func TestAMissingModuleIsNamed(t *testing.T) {
	python, missing := exec.LookPath("python3")
	if missing != nil {
		t.Skip("hftagger.py was not tested: there is no python3")
	}
	log, err := exec.CommandContext(t.Context(), python, "-S", "-E", "hftagger.py", "model").CombinedOutput()
	if err == nil || string(log) != "hftagger: there is no module torch: pip install torch transformers\n" {
		t.Errorf("%v: %s", err, log)
	}
}
