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

	"hide/internal/lab/experiment"
)

// What an interrupted run has measured is printed and written to the files, marked as
// partial; the same command goes on from there.
func TestAnInterruptedExperimentPrintsWhatItHas(t *testing.T) {
	dir := t.TempDir()
	notes, kept := filepath.Join(dir, "notes.jsonl"), filepath.Join(dir, "kept.jsonl")
	sheet, page := filepath.Join(dir, "cut.csv"), filepath.Join(dir, "cut.html")
	var out, said bytes.Buffer
	e := func() *env {
		out.Reset()
		said.Reset()
		return &env{stdout: &out, stderr: &said, json: true, command: command{name: "experiment"}}
	}
	if code := run(t.Context(), []string{"generate", "--patients", "4", "--out", notes}, e()); code != exitDone {
		t.Fatal(said.String())
	}
	args := func(lcs string) []string {
		return []string{"--csv", sheet, "--html", page, "--in", notes, "--folds", "2", "--first", "none", "--learners", "bayes", "--modes", "cost", "--lc", lcs, "--resume", kept, "--json"}
	}
	open := func(lcs string) (*experiment.Experiment, experimentFlags) {
		x, v, err := e().openExperiment(t.Context(), args(lcs))
		if err != nil {
			t.Fatal(err)
		}
		return x, v
	}
	x, v := open("1,10")
	if err := e().cutExperiment(x, v, context.Canceled); !strings.HasPrefix(hintOf(err), "0 of 2 results") || out.Len() > 0 {
		t.Errorf("with nothing measured: hint %q, printed %q", hintOf(err), out.String())
	}
	if code := run(t.Context(), append([]string{"experiment"}, args("1")...), e()); code != exitDone {
		t.Fatal(said.String())
	}
	x, v = open("1,10")
	err := e().cutExperiment(x, v, context.Canceled)
	if want := "1 of 2 results are kept in " + kept + ": the same command continues from there"; !errors.Is(err, context.Canceled) || hintOf(err) != want {
		t.Errorf("error %v, hint %q", err, hintOf(err))
	}
	var report struct {
		Partial bool
		Results []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || !report.Partial || len(report.Results) != 1 {
		t.Errorf("%v: partial %v, %d results; want one", err, report.Partial, len(report.Results))
	}
	for name, mark := range map[string]string{sheet: "run,,,,,,,,,,partial,1,", page: "hide experiment (partial)"} {
		if file, err := os.ReadFile(name); err != nil || !strings.Contains(string(file), mark) || !strings.Contains(string(file), "cost") {
			t.Errorf("%s: %v, without %q or its result", filepath.Base(name), err, mark)
		}
	}
	if code := run(t.Context(), append([]string{"experiment"}, args("1,10")...), e()); code != exitDone {
		t.Fatal(said.String())
	}
	if file, err := os.ReadFile(sheet); err != nil || strings.Contains(string(file), "partial") {
		t.Errorf("%v: all figures are there, and marked as partial", err)
	}
}
