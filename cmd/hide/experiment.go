// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/learn"
)

func runExperiment(ctx context.Context, e *env, args []string) error {
	o, err := e.experimentOptions(args)
	if err != nil {
		return err
	}
	docs, err := readSensitive(ctx, o.in, o.labels)
	if err != nil {
		return err
	}
	if o.test != "" {
		if o.trial.Test, err = readSensitive(ctx, o.test, o.labels); err != nil {
			return err
		}
	}
	ctx, stop := within(ctx, o.outside)
	defer stop()
	p := e.progress("experiment, result")
	results, err := greedy.Experiment(ctx, docs, o.trial, p.step)
	p.end()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.Is(err, greedy.ErrFewDocuments) {
		return withHint(err, "an experiment holds some documents out to publish and others to count on")
	}
	if err != nil {
		return err
	}
	report := experimentReport(o, results)
	return e.result(report, report.write)
}

// experimentOptions are the flags, checked.
type experimentOptions struct {
	in, test string
	labels   []annotate.Label // nil means all
	trial    greedy.Trial
	outside  []*outside // of the trial's learners
}

func (e *env) experimentOptions(args []string) (experimentOptions, error) {
	var o experimentOptions
	f := e.flags()
	f.StringVar(&o.in, "in", "", "annotated `FILE` to learn from: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&o.test, "test", "", "annotated `FILE` to publish, learning from all of --in; without it each document of --in is published once")
	labels := f.String("sensitive", "all", "`LABELS` that are sensitive, with commas between: all, or PATIENT,DATE")
	f.IntVar(&o.trial.Folds, "folds", 4, "publish in `K` folds, and cross-fit in as many")
	lc := f.String("lc", "1,10,100", "`VALUES` of L/C, what a leak costs in lost words, with commas between")
	modes := f.String("modes", "paper,default,cost", "`MODES` to compare: "+words(greedy.Modes()))
	budgets := f.String("budget", "25,50,100,200,500,1000", "`BUDGETS` of the ranked attacker, in tokens")
	preset := f.String("preset", "default", presetUsage)
	learners := f.String("learners", "crf", learnersUsage())
	f.Uint64Var(&o.trial.Seed, "seed", 1, "`N` decides folds and resampling")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return o, err
	}
	if err := e.required(f, "in"); err != nil {
		return o, err
	}
	if o.trial.Folds < 2 {
		return o, e.usage("--folds is %d; at least 2 are needed", o.trial.Folds)
	}
	families, err := e.families(*preset)
	if err != nil {
		return o, err
	}
	o.trial.Workers = min(runtime.GOMAXPROCS(0), 4) // a training takes some 300 MB
	o.trial.Learners, o.outside, err = e.learners(*learners, learn.Options{CRF: crf.Options{Features: families, Workers: 1}, Seed: o.trial.Seed})
	if err != nil {
		return o, err
	}
	if o.trial.LC, err = e.ratios(*lc); err != nil {
		return o, err
	}
	if o.trial.Modes, err = e.modes(*modes); err != nil {
		return o, err
	}
	if o.labels, err = e.labels(*labels); err != nil {
		return o, err
	}
	o.trial.Budgets, err = e.budgets(*budgets)
	return o, err
}

func (e *env) ratios(list string) ([]float64, error) {
	var out []float64
	for _, s := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return nil, e.usage("--lc: %q is not a number", s)
		}
		if err := greedy.CheckLC(v); err != nil {
			return nil, e.usage("--lc: %v", err)
		}
		out = append(out, v)
	}
	return out, nil
}

// words: "paper, default, cost".
func words(modes []greedy.Mode) string {
	all := make([]string, len(modes))
	for i, m := range modes {
		all[i] = string(m)
	}
	return strings.Join(all, ", ")
}

func (e *env) modes(list string) ([]greedy.Mode, error) {
	var out []greedy.Mode
	for _, s := range strings.Split(list, ",") {
		m := greedy.Mode(strings.TrimSpace(s))
		if !slices.Contains(greedy.Modes(), m) {
			return nil, e.usage("--modes: unknown mode %q: there are %s", s, words(greedy.Modes()))
		}
		if slices.Contains(out, m) {
			return nil, e.usage("--modes: %s is there twice", m)
		}
		out = append(out, m)
	}
	return out, nil
}

func (e *env) budgets(list string) ([]int, error) {
	var out []int
	for _, s := range strings.Split(list, ",") {
		b, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || b < 1 {
			return nil, e.usage("--budget: %q is not a positive number of tokens", s)
		}
		out = append(out, b)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// labels is nil for all.
func (e *env) labels(list string) ([]annotate.Label, error) {
	if list == "all" {
		return nil, nil
	}
	var out []annotate.Label
	for _, s := range strings.Split(list, ",") {
		l := annotate.Label(strings.TrimSpace(s))
		if err := annotate.CheckLabel(l); err != nil {
			return nil, e.usage("--sensitive: %v", err)
		}
		out = append(out, l)
	}
	return out, nil
}

// readSensitive reads a corpus and keeps the spans of the given labels, nil for
// all. A label that the corpus does not use is refused: it is likely misspelt.
func readSensitive(ctx context.Context, name string, labels []annotate.Label) ([]greedy.Doc, error) {
	notes, _, err := readNotes(ctx, name)
	if err != nil {
		return nil, err
	}
	used := map[annotate.Label]bool{}
	docs := make([]greedy.Doc, len(notes))
	for i, n := range notes {
		for _, s := range n.Spans {
			used[s.Label] = true
		}
		docs[i] = greedy.NewDoc(n, func(l annotate.Label) bool { return labels == nil || slices.Contains(labels, l) })
	}
	for _, l := range labels {
		if !used[l] {
			return nil, withHint(fmt.Errorf("%s has no span with the label %s", name, l), "labels are case-sensitive; all takes every one")
		}
	}
	return docs, nil
}
