// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hide/internal/crf"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/detect"
	"hide/internal/hint"
	"hide/internal/lab"
	"hide/internal/publish"
)

// smallBundle is the default model with few trees and steps, made once.
var smallBundle = sync.OnceValues(func() (*publish.Bundle, error) {
	few := boost.Options{Trees: 3, Rate: 0.5}
	features := crf.Options{Features: crf.Affix | crf.Context, MaxIterations: 5}
	return bundleOf(context.Background(), generatedNotes(8, 8, 4), detect.Detector{Options: detect.Options{CRF: features, Trees: few, Second: few, Folds: 2}}, features)
})

func smallRedaction(t *testing.T) *redactBench {
	t.Helper()
	o := RedactOptions{Tokens: 1500, Seed: 3}
	var err error
	if o.Bundle, err = smallBundle(); err != nil {
		t.Fatal(err)
	}
	b, err := newRedactBench(t.Context(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRedactionIsMeasuredBySpeedAndStages looks at stacks until all large stages were
// seen: a function of the table that has another name now would be in none of them.
func TestRedactionIsMeasuredBySpeedAndStages(t *testing.T) {
	b := smallRedaction(t)
	if err := b.measure(t.Context(), RedactOptions{Workers: []int{2, 1}, Runs: 1}, nil); err != nil {
		t.Fatal(err)
	}
	r := &b.result
	if len(r.Workers) != 2 || r.Workers[0].Workers != 1 || r.Workers[1].Workers != 2 {
		t.Fatalf("%+v", r.Workers)
	}
	for _, w := range r.Workers {
		if math.Abs(w.Tokens*w.Wall-float64(r.Tokens)) > 1 || math.Abs(w.Notes*w.Wall-float64(r.Notes)) > 1e-3 || len(w.Runs) != 1 {
			t.Errorf("%+v of %d tokens in %d notes", w, r.Tokens, r.Notes)
		}
	}
	if r.Tokens < 1500 || r.Bytes < int64(r.Tokens) || len(r.Output) != 64 {
		t.Errorf("%+v", r)
	}
	seen := map[string]bool{}
	for try := 0; !(seen[stageBase] && seen[stageSecond] && seen[stageLabels]); try++ {
		if try == 100 {
			t.Fatalf("only these stages were seen: %v", seen)
		}
		r.Samples, r.Stages = 0, nil
		if err := b.sampleStages(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, s := range r.Stages {
			seen[s.Stage] = seen[s.Stage] || s.Share > 0
			sum += s.Share
		}
		if r.Samples > 0 && math.Abs(sum-1) > 1e-9 || len(r.Stages) != len(redactStages) {
			t.Fatalf("%+v", r.Stages)
		}
	}
}

// TestRedactionThatDiffersIsRefused forges the output of the first run.
func TestRedactionThatDiffersIsRefused(t *testing.T) {
	b := smallRedaction(t)
	b.result.Output = "other"
	if _, err := b.run(t.Context(), 1, 1, func() {}); err == nil || !strings.Contains(err.Error(), "output differs") {
		t.Errorf("got %v", err)
	}
}

func TestBadNotesAreNamedWithTheirFile(t *testing.T) {
	b := smallRedaction(t)
	for text, want := range map[string]string{`{"id":"1","text":"Weiss"}` + "\n" + `{"id":"Weiss"}`: "line 2", "": "no words"} {
		name := filepath.Join(t.TempDir(), "notes")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b.useFile(name)
		err := b.count(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), name) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Weiss") {
			t.Errorf("got %v, want %s", err, want)
		}
		_, before := Redact(t.Context(), RedactOptions{File: name}, func(string) lab.Bar { panic("trained before the notes were read") })
		if before == nil || before.Error() != err.Error() {
			t.Errorf("got %v, want %v", before, err)
		}
		if want == "line 2" && hint.Of(err) == "" {
			t.Errorf("no hint with %v", err)
		}
	}
}
