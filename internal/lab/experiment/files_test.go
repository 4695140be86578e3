// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/greedy"
	"hide/internal/hint"
	"hide/internal/hospital"
	"hide/internal/hospital/invented"
	"hide/internal/lab/experiment"
)

// TestAnInterruptedExperimentWritesWhatItHas interrupts runs at once: with no results, and with
// those of an earlier run.
func TestAnInterruptedExperimentWritesWhatItHas(t *testing.T) {
	dir := t.TempDir()
	f := experiment.Files{
		In: filepath.Join(dir, "notes.jsonl"), Resume: filepath.Join(dir, "kept.jsonl"),
		CSV: filepath.Join(dir, "cut.csv"), HTML: filepath.Join(dir, "cut.html"),
	}
	if _, err := invented.Write(t.Context(), invented.Options{Options: hospital.Options{Patients: 4, Seed: 1}, Format: "jsonl", Out: f.In}, nil, nil); err != nil {
		t.Fatal(err)
	}
	o := experiment.Table().Default()
	o.Folds, o.First, o.Learners, o.Modes = 2, "none", []string{"bayes"}, []greedy.Mode{greedy.Cost}
	finish := func(ctx context.Context, lc ...float64) (shown []experiment.Report, err error) {
		o.LC = lc
		x, err := f.Open(t.Context(), o, "test", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		err = f.Finish(ctx, x, func(r experiment.Report) error {
			shown = append(shown, r)
			return nil
		})
		return shown, err
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	shown, err := finish(stopped, 1, 10)
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(hint.Of(err), "0 of 2 results") || len(shown) > 0 {
		t.Errorf("with nothing measured: %v, hint %q, %d reports", err, hint.Of(err), len(shown))
	}
	if shown, err := finish(t.Context(), 1); err != nil || len(shown) != 1 || shown[0].Partial {
		t.Fatalf("%d reports, %v", len(shown), err)
	}
	shown, err = finish(stopped, 1, 10)
	if want := "1 of 2 results are kept in " + f.Resume + ": the same command continues from there"; !errors.Is(err, context.Canceled) || hint.Of(err) != want {
		t.Errorf("error %v, hint %q", err, hint.Of(err))
	}
	if len(shown) != 1 || !shown[0].Partial || len(shown[0].Results) != 1 {
		t.Errorf("%d reports; want a partial one with one result", len(shown))
	}
	for name, mark := range map[string]string{f.CSV: "run,,,,,,,,,,partial,1,", f.HTML: "hide experiment (partial)"} {
		if file, err := os.ReadFile(name); err != nil || !strings.Contains(string(file), mark) || !strings.Contains(string(file), "cost") {
			t.Errorf("%s: %v, without %q or its result", filepath.Base(name), err, mark)
		}
	}
	if _, err := finish(t.Context(), 1, 10); err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(f.CSV); err != nil || strings.Contains(string(file), "partial") {
		t.Errorf("%v: all figures are there, and marked as partial", err)
	}
	f.Resume = ""
	if _, err := finish(stopped, 1); !strings.HasPrefix(hint.Of(err), "0 of 1 results were finished; with --resume") {
		t.Errorf("hint %q", hint.Of(err))
	}
}

func TestMistakesInFilesHaveHints(t *testing.T) {
	notes := filepath.Join(t.TempDir(), "notes.jsonl")
	if err := os.WriteFile(notes, []byte(`{"id":"1","text":"Ann walks.","spans":[{"start":0,"end":3,"label":"NAME"}]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := experiment.Table().Default()
	o.Sensitive = append(o.Sensitive, "DATE")
	if _, err := (experiment.Files{In: notes}).Open(t.Context(), o, "test", "", nil); err == nil || !strings.Contains(err.Error(), "no span has the label DATE") || hint.Of(err) == "" {
		t.Errorf("an unknown label: %v", err)
	}
	o = experiment.Table().Default()
	if _, err := (experiment.Files{In: notes, Resume: notes}).Open(t.Context(), o, "test", "", nil); err == nil || !strings.Contains(hint.Of(err), "--resume") {
		t.Errorf("another file to go on from: %v, %q", err, hint.Of(err))
	}
}
