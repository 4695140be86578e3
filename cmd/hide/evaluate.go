// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// evaluation is what hide evaluate says.
type evaluation struct {
	crf.Scores
	Train evaluationTrain `json:"train"`
	Tag   evaluationTag   `json:"tag"`
}

// evaluationTrain adds up all trainings when there are folds.
type evaluationTrain struct {
	Seconds    float64 `json:"seconds"`
	Objective  float64 `json:"objective"`
	Iterations int     `json:"iterations"`
}

func (t *evaluationTrain) add(s crf.Stats) {
	t.Seconds += s.Seconds
	t.Objective += s.Objective
	t.Iterations += s.Number
}

type evaluationTag struct {
	TokensPerSecond float64 `json:"tokens_per_second"`
}

// evaluateFlags are the flags of hide evaluate as they were typed.
type evaluateFlags struct {
	train, test, in, preset, labels, dictionaries string
	folds, iterations                             int
	c2                                            float64
	seed                                          uint64
}

func runEvaluate(ctx context.Context, e *env, args []string) error {
	var v evaluateFlags
	f := e.flags()
	f.StringVar(&v.train, "train", "", "annotated `FILE` to learn from; with --test")
	f.StringVar(&v.test, "test", "", "annotated `FILE` to tag and score")
	f.StringVar(&v.in, "in", "", "annotated `FILE` to cross-validate, instead of --train and --test")
	f.IntVar(&v.folds, "folds", 5, "with --in, number of folds `K`; a patient is never split")
	f.Uint64Var(&v.seed, "seed", 1, "with --in, `SEED` that deals the folds")
	f.StringVar(&v.preset, "preset", "default", "`PRESET` of feature families: default, or hide (those of the dissertation)")
	f.StringVar(&v.labels, "labels", "", "comma-separated `LABELS` that count; spans of others are taken for plain text")
	f.StringVar(&v.dictionaries, "dictionaries", "", "`FOLDER` of dictionaries: NAME.txt, one phrase a line")
	f.Float64Var(&v.c2, "c2", 0, "weight `W` of the squared penalty; 0 means the default")
	f.IntVar(&v.iterations, "iterations", 0, "stop after `N` iterations; 0 means the default")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	o, err := e.evaluateOptions(v)
	if err != nil {
		return err
	}
	result, err := e.evaluate(ctx, v, o)
	if err != nil {
		return err
	}
	return e.result(result, func(w io.Writer) { writeEvaluation(w, result) })
}

// evaluateOptions checks what was typed.
func (e *env) evaluateOptions(v evaluateFlags) (crf.Options, error) {
	families, err := e.families(v.preset)
	if err != nil {
		return crf.Options{}, err
	}
	switch split, whole := v.train != "" || v.test != "", v.in != ""; {
	case split == whole:
		return crf.Options{}, e.usage("give either --train and --test, or --in")
	case split && (v.train == "" || v.test == ""):
		return crf.Options{}, e.usage("--train and --test go together")
	case v.folds < 2:
		return crf.Options{}, e.usage("--folds must be at least 2")
	case !(v.c2 >= 0) || v.iterations < 0:
		return crf.Options{}, e.usage("--c2 and --iterations must not be negative")
	}
	lists, err := readDictionaries(v.dictionaries)
	return crf.Options{Features: families, Dictionaries: lists, C2: v.c2, MaxIterations: v.iterations, Now: time.Now}, err
}

func (e *env) evaluate(ctx context.Context, v evaluateFlags, o crf.Options) (evaluation, error) {
	if v.in != "" {
		notes, err := readEvaluated(ctx, v.in, v.labels)
		if err != nil {
			return evaluation{}, err
		}
		return e.crossValidate(ctx, notes, v, o)
	}
	learn, err := readEvaluated(ctx, v.train, v.labels)
	if err != nil {
		return evaluation{}, err
	}
	test, err := readEvaluated(ctx, v.test, v.labels)
	if err != nil {
		return evaluation{}, err
	}
	return e.trainAndTag(ctx, learn, test, o)
}

// readEvaluated reads notes, with the spans whose label counts.
func readEvaluated(ctx context.Context, name, labels string) ([]annotate.Annotated, error) {
	notes, report, err := readNotes(ctx, name)
	if err != nil || labels == "" {
		return notes, err
	}
	wanted, kept := strings.Split(labels, ","), 0
	for i := range notes {
		notes[i].Spans = slices.DeleteFunc(notes[i].Spans, func(s annotate.Span) bool {
			return !slices.Contains(wanted, string(s.Label))
		})
		kept += len(notes[i].Spans)
	}
	if kept == 0 && report.Spans > 0 {
		return nil, withHint(fmt.Errorf("%s: none of its %d spans has one of the labels asked for", name, report.Spans),
			"labels are separated by commas only and case counts")
	}
	return notes, nil
}

func (e *env) trainAndTag(ctx context.Context, learn, test []annotate.Annotated, o crf.Options) (evaluation, error) {
	m, stats, err := e.train(ctx, learn, o)
	if err != nil {
		return evaluation{}, err
	}
	docs, gold := goldOf(test)
	predicted, tokens, began := make([][]annotate.Span, len(docs)), 0, time.Now()
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return evaluation{}, err
		}
		predicted[i] = crf.SpansOf(m.Tag(d))
		tokens += len(d.Words)
	}
	v := evaluation{Tag: evaluationTag{float64(tokens) / max(time.Since(began).Seconds(), 1e-9)}}
	v.Scores = crf.Score(gold, predicted, docs)
	v.Train.add(stats)
	return v, nil
}

func (e *env) crossValidate(ctx context.Context, notes []annotate.Annotated, v evaluateFlags, o crf.Options) (evaluation, error) {
	docs, gold := goldOf(notes)
	groups, tokens := make([]string, len(notes)), 0
	for i, n := range notes {
		groups[i] = n.Group()
		tokens += len(docs[i].Words)
	}
	p, passed := e.progress("training the folds, iteration"), 0
	o.Progress = func(i crf.Iteration) {
		passed++
		p.step(passed, 0, fmt.Sprintf("objective %.1f", i.Objective))
	}
	c, err := crf.CrossValidate(ctx, docs, groups, v.folds, v.seed, o)
	p.end()
	if err != nil {
		return evaluation{}, err
	}
	predicted := make([][]annotate.Span, len(docs))
	for i, s := range c.Tags {
		predicted[i] = crf.SpansOf(s)
	}
	result := evaluation{Tag: evaluationTag{float64(tokens) / max(c.Tagging.Seconds(), 1e-9)}}
	result.Scores = crf.Score(gold, predicted, docs)
	for _, s := range c.Training {
		result.Train.add(s)
	}
	return result, nil
}

func goldOf(notes []annotate.Annotated) ([]crf.Doc, [][]annotate.Span) {
	docs, gold := make([]crf.Doc, len(notes)), make([][]annotate.Span, len(notes))
	for i, n := range notes {
		docs[i], gold[i] = crf.NewDoc(n), n.Spans
	}
	return docs, gold
}

// readDictionaries reads every NAME.txt of a folder, one phrase a line.
func readDictionaries(folder string) ([]crf.DictionaryList, error) {
	if folder == "" {
		return nil, nil
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err == nil && len(names) == 0 {
		err = withHint(fmt.Errorf("read dictionaries: %s holds no .txt file", folder), "a dictionary is a file NAME.txt with one phrase a line")
	}
	if err != nil {
		return nil, err
	}
	lists := make([]crf.DictionaryList, len(names))
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read dictionaries: %w", err)
		}
		lists[i].Name = strings.TrimSuffix(filepath.Base(name), ".txt")
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				lists[i].Phrases = append(lists[i].Phrases, line)
			}
		}
	}
	return lists, nil
}

func writeEvaluation(w io.Writer, v evaluation) {
	for _, level := range []struct {
		name string
		crf.Level
	}{{"spans", v.Entity}, {"tokens", v.Token}} {
		writeLevel(w, level.name, level.Level)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d of %d documents have a sensitive token that was not found\n", v.DocumentsWithLeak, v.Documents)
	fmt.Fprintf(w, "trained in %.1f s (%d iterations, objective %.1f), tagged %.0f tokens/s\n",
		v.Train.Seconds, v.Train.Iterations, v.Train.Objective, v.Tag.TokensPerSecond)
}

// writeLevel is a table of one row per label, the most frequent first.
func writeLevel(w io.Writer, name string, level crf.Level) {
	labels := slices.SortedFunc(maps.Keys(level.Labels), func(a, b annotate.Label) int {
		x, y := level.Labels[a], level.Labels[b]
		return cmp.Or(cmp.Compare(y.TP+y.FN, x.TP+x.FN), cmp.Compare(a, b))
	})
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s\tprecision\trecall\tF1\tright\tfalse alarms\tmissed\t\n", name)
	for _, l := range labels {
		writeTally(t, string(l), level.Labels[l])
	}
	writeTally(t, "all", level.Micro)
	_ = t.Flush() // a table that cannot be written shows in the next write
}

func writeTally(w io.Writer, name string, t crf.Tally) {
	fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.4f\t%d\t%d\t%d\t\n", name, t.Precision, t.Recall, t.F1, t.TP, t.FP, t.FN)
}
