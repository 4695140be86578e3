// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/greedy"
)

func TestAnInterruptedExperimentPrintsWhatItHas(t *testing.T) {
	var out bytes.Buffer
	x := &experiment{env: &env{stdout: &out, json: true}, kept: openTestState(t, "", fingerprint{})}
	x.trial = greedy.Trial{Modes: []greedy.Mode{greedy.Cost, greedy.Default}}
	x.trial.LC, x.trial.Learners, x.classes = []float64{1, 10}, []greedy.Learner{greedy.CRF{}}, []bool{false}
	err := x.cutShort(context.Canceled)
	if !strings.HasPrefix(hintOf(err), "0 of 4 results") || out.Len() > 0 {
		t.Errorf("with nothing measured: hint %q, printed %q", hintOf(err), out.String())
	}
	if err := x.kept.put("result", resultKey(greedy.Default, "crf", 10), rowOf(oneResult(), []int{25})); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	x.out.resume, x.out.csv, x.out.html = "kept.jsonl", filepath.Join(dir, "cut.csv"), filepath.Join(dir, "cut.html")
	err = x.cutShort(context.Canceled)
	if !errors.Is(err, context.Canceled) || hintOf(err) != "1 of 4 results are kept in kept.jsonl: the same command goes on from there" {
		t.Errorf("error %v, hint %q", err, hintOf(err))
	}
	var report experimentJSON
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || !report.Partial || len(report.Results) != 1 {
		t.Errorf("%v: partial %v, %d results; want one", err, report.Partial, len(report.Results))
	}
	for name, mark := range map[string]string{x.out.csv: "run,,,,,,,,,,partial,1,", x.out.html: "hide experiment (partial)"} {
		if file, err := os.ReadFile(name); err != nil || !strings.Contains(string(file), mark) || !strings.Contains(string(file), "default") {
			t.Errorf("%s: %v, without %q or its result", filepath.Base(name), err, mark)
		}
	}
}

// The command is interrupted when its first result is on disk, and goes on.
func TestAnExperimentThatIsInterruptedGoesOn(t *testing.T) {
	dir := t.TempDir()
	notes, kept := filepath.Join(dir, "notes.jsonl"), filepath.Join(dir, "kept.jsonl")
	var out, said bytes.Buffer
	e := func() *env { out.Reset(); said.Reset(); return &env{stdout: &out, stderr: &said} }
	if code := run(t.Context(), []string{"generate", "--patients", "4", "--out", notes}, e()); code != exitDone {
		t.Fatal(said.String())
	}
	sheet := filepath.Join(dir, "figures.csv")
	args := []string{"experiment", "--csv", sheet, "--in", notes, "--folds", "2", "--first", "none", "--learners", "bayes,crf", "--modes", "cost", "--lc", "1,2,5,10", "--resume", kept, "--json"}
	cut := e()
	cut.command = command{name: "experiment"}
	o, err := cut.experimentOptions(args[1:])
	if err != nil {
		t.Fatal(err)
	}
	x, err := cut.openExperiment(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x.kept.done = cancel
	if err := x.finish(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(hintOf(err), "of 8 results are kept in") {
		t.Fatalf("%v, hint %q", err, hintOf(err))
	}
	var report experimentJSON
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || !report.Partial || len(report.Results) == 0 || len(report.Results) == 8 {
		t.Errorf("%v: partial %v, %d results; want some of 8", err, report.Partial, len(report.Results))
	}
	if file, err := os.ReadFile(sheet); err != nil || !strings.Contains(string(file), "partial") {
		t.Errorf("%v: the figures are not marked as partial", err)
	}
	report = experimentJSON{}
	if code := run(t.Context(), args, e()); code != exitDone || json.Unmarshal(out.Bytes(), &report) != nil || report.Partial || len(report.Results) != 8 {
		t.Errorf("exit %d, partial %v, %d results; want all 8; said %q", code, report.Partial, len(report.Results), said.String())
	}
	if file, err := os.ReadFile(sheet); err != nil || strings.Contains(string(file), "partial") {
		t.Errorf("%v: all figures are there, and marked as partial", err)
	}
}
