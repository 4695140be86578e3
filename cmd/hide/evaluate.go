// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/chart"
	"hide/internal/corpus"
	"hide/internal/crf"
	"hide/internal/lab/evaluate"
	"hide/internal/outfile"
)

// evaluateFlags are the flags of hide evaluate as typed.
type evaluateFlags struct {
	set                            *flag.FlagSet
	train, test, in, model, labels string
	mapping                        *labels.Mapping
	ablate                         bool
	from                           evaluate.Sources
	training                       trainingFlags
	report, entities, contrast     string
	out                            evaluate.Options
}

func runEvaluate(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := evaluateFlags{set: f}
	f.StringVar(&v.train, "train", "", "annotated `FILE` to train on; with --test")
	f.StringVar(&v.test, "test", "", "annotated `FILE` to tag and score")
	f.StringVar(&v.model, "model", "", "`FILE` of a model, as hide train writes it, to score on --test instead of training one")
	f.StringVar(&v.in, "in", "", "annotated `FILE` to cross-validate, instead of --train and --test")
	f.IntVar(&v.from.Folds, "folds", 5, "with --in, number of folds `K`; a patient is never split")
	f.Uint64Var(&v.from.Seed, "seed", 1, "`SEED` that deals the folds of --in and draws for --bootstrap")
	f.StringVar(&v.labels, "labels", "", "comma-separated `LABELS` that count; spans with other labels count as plain text")
	mapped := f.String("map", "", mapUsage+"; it changes the spans of all files")
	f.BoolVar(&v.from.Known, "known", false, "count known identifiers as found, as releases redact them: what the field identities of the notes says of people")
	f.BoolVar(&v.ablate, "ablate", false, "train and score again without feature families: all combinations of HIDE's four with --preset hide, otherwise each family left out in turn")
	v.training.declare(f, evaluate.FeatureOptions(false), evaluate.LearnerOptions(false), evaluate.SamplingOption(), evaluate.SolverOptions())
	f.IntVar(&v.out.Resamples, "bootstrap", 1000, "resample patients (notes without one singly) `N` times for 95 % intervals; 0 for none")
	f.StringVar(&v.report, "report", "", "write figures, intervals and reliability diagrams as one HTML page to `FILE`; it holds no text of notes")
	f.StringVar(&v.entities, "entities", "", "`FILE` of mentions by entity, direct or quasi, of the notes that are scored: count entities with every mention masked")
	f.StringVar(&v.contrast, "contrast", "", contrastUsage)
	f.Float64Var(&v.from.Threshold, "threshold", 0, "mask also every word whose probability of being PHI is at least `P`; 0 for none")
	f.BoolVar(&v.out.Errors, "errors", false, "list missed PHI and false alarms, by reason and by text")
	f.BoolVar(&v.out.ShowText, "show-text", false, "with --errors, show words of the notes")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	o, err := e.evaluateOptions(&v)
	if err == nil {
		v.mapping, err = e.mapping(*mapped)
	}
	if err != nil {
		return err
	}
	if err := v.read(ctx); err != nil {
		return err
	}
	run := func(o crf.Options) (*evaluate.Predictions, error) { return v.from.Predict(ctx, o, e.bars()) }
	if v.ablate {
		result, err := evaluate.Ablate(o, v.training.Name(), run)
		if err != nil {
			return e.refused(err)
		}
		return e.result(result, result.Write)
	}
	found, err := run(o)
	if err != nil {
		return e.refused(err)
	}
	result := found.Evaluate(v.out)
	if _, err := outfile.Write(v.report, func(w io.Writer) error { return chart.WriteScores(ctx, w, result.Report, result.Entities) }); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return e.result(result, result.Write)
}

// evaluateOptions checks the flags.
func (e *env) evaluateOptions(v *evaluateFlags) (crf.Options, error) {
	switch split, whole := v.train != "" || v.test != "" || v.model != "", v.in != ""; {
	case split == whole:
		return crf.Options{}, e.usage("give either --train and --test, --model and --test, or --in")
	case split && v.train != "" && v.model != "":
		return crf.Options{}, e.usage("--model is trained already: give it --test alone, without --train")
	case split && (v.train == "" && v.model == "" || v.test == ""):
		return crf.Options{}, e.usage("--train and --test go together, and so do --model and --test")
	case v.from.Folds < 2:
		return crf.Options{}, e.usage("--folds must be at least 2")
	}
	if err := e.idleEvaluate(v); err != nil {
		return crf.Options{}, err
	}
	v.out.Seed = v.from.Seed
	switch {
	case v.out.Resamples < 0:
		return crf.Options{}, e.usage("--bootstrap must not be negative")
	case !(v.from.Threshold >= 0 && v.from.Threshold <= 1):
		return crf.Options{}, e.usage("--threshold is a probability from 0 to 1")
	case v.out.ShowText && !v.out.Errors:
		return crf.Options{}, e.usage("--show-text goes with --errors")
	case v.out.Errors && v.model != "":
		return crf.Options{}, e.usage("--errors needs the notes that the model was trained on: give --train or --in instead of --model")
	case v.ablate && (v.model != "" || v.out.Errors || v.report != "" || v.entities != ""):
		return crf.Options{}, e.usage("--ablate trains models, and gives figures only: leave out --model, --errors, --report and --entities")
	}
	return v.training.options(e, v.set)
}

// idleEvaluate refuses flags without effect.
func (e *env) idleEvaluate(v *evaluateFlags) error {
	if v.model != "" {
		trained := append(v.training.table.Names(), "dictionaries", "folds", "contrast")
		return e.refuseUnused(v.set, "with --model, which is trained already", trained...)
	}
	if v.in == "" {
		return e.refuseUnused(v.set, "without --in", "folds")
	}
	return nil
}

// read reads the files of the flags.
func (v *evaluateFlags) read(ctx context.Context) (err error) {
	if v.model != "" {
		v.from.Model, err = corpus.Model(v.model)
	}
	if err == nil && v.train != "" {
		v.from.Train, err = readEvaluated(ctx, v.train, v.labels, v.mapping)
	}
	if err == nil && v.contrast != "" {
		v.from.Contrast, err = format.ReadEntitiesFile(v.contrast)
	}
	if err == nil && v.entities != "" {
		v.from.Entities, err = format.ReadEntitiesFile(v.entities)
	}
	if err == nil {
		v.from.Notes, err = readEvaluated(ctx, v.test+v.in, v.labels, v.mapping) // one of the two is given
	}
	return err
}

// readEvaluated reads notes with the spans of counted labels, under the labels of the mapping.
// It requires at least one, because a table of zeros would be meaningless.
func readEvaluated(ctx context.Context, name, counted string, m *labels.Mapping) ([]annotate.Annotated, error) {
	notes, report, err := corpus.Notes(ctx, name)
	for i := range notes {
		if m != nil {
			notes[i] = m.Document(notes[i], nil)
		}
	}
	if err == nil && report.Spans == 0 {
		err = fmt.Errorf("%s: none of its %d documents has a span: there is nothing to train on, nor to score", name, len(notes))
	}
	if err != nil || counted == "" {
		return notes, err
	}
	if evaluate.Only(notes, labelList(counted)) == 0 {
		return nil, withHint(fmt.Errorf("%s: none of its %d spans has a requested label", name, report.Spans),
			"separate labels by commas; they are case-sensitive")
	}
	return notes, nil
}
