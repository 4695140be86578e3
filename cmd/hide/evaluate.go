// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"hide/internal/annotate/labels"
	"hide/internal/chart"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/lab/evaluate"
	"hide/internal/outfile"
)

// evaluateFlags are the flags of hide evaluate as typed.
type evaluateFlags struct {
	set                      *flag.FlagSet
	files                    evaluate.Files
	test, in, labels, report string
	mapped                   string
	ablate                   bool
	compare                  []string
	from                     evaluate.Sources
	training                 trainingFlags
	out                      evaluate.Options
}

func runEvaluate(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := evaluateFlags{set: f}
	v.declare(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	o, err := e.evaluateOptions(&v)
	if err == nil {
		v.files.Map, err = e.mapping(v.mapped)
	}
	if err != nil {
		return err
	}
	v.files.Notes, v.files.Labels = v.test+v.in, labels.Parse(v.labels) // one of the two is given
	if err := v.files.Read(ctx, &v.from); err != nil {
		return err
	}
	run := func(o crf.Options) (*evaluate.Predictions, error) { return v.from.Predict(ctx, o, e.bars()) }
	resampling := score.Options{Resamples: v.out.Resamples, Seed: v.out.Seed}
	switch {
	case v.ablate:
		return e.measured(evaluate.Ablate(o, v.training.Name(), resampling, run))
	case v.compare != nil:
		changes := evaluate.Variations{Table: v.training.table, Given: f, First: v.training.Training, Changes: v.compare}
		variants, err := changes.Variants(ctx, v.from, o, e.bars())
		if err != nil {
			return e.refused(err)
		}
		return e.measured(evaluate.Compare(variants, resampling))
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

// declare adds the flags of the command.
func (v *evaluateFlags) declare(f *flag.FlagSet) {
	f.StringVar(&v.files.Train, "train", "", "annotated `FILE` to train on; with --test. With --model and --errors: the notes that the model was trained on, which tell why it errs")
	f.StringVar(&v.test, "test", "", "annotated `FILE` to tag and score")
	f.StringVar(&v.files.Model, "model", "", "`FILE` of a model, as hide train writes it, to score on --test instead of training one")
	f.StringVar(&v.in, "in", "", "annotated `FILE` to cross-validate, instead of --train and --test")
	f.IntVar(&v.from.Folds, "folds", 5, "with --in, number of folds `K`; a patient is never split")
	f.Uint64Var(&v.from.Seed, "seed", 1, "`SEED` that deals the folds of --in and draws for --bootstrap")
	f.StringVar(&v.labels, "labels", "", labelsUsage)
	f.StringVar(&v.mapped, "map", "", mapUsage+"; it changes the spans of all files")
	f.BoolVar(&v.from.Known, "known", false, "count known identifiers as found, as releases redact them: what the field identities of the notes says of people")
	f.BoolVar(&v.ablate, "ablate", false, "train and score again without feature families: all combinations of HIDE's four with --preset hide, otherwise each family left out in turn; each with its difference from all families, an interval and p")
	f.Func("compare", evaluate.CompareHelp, func(s string) error {
		v.compare = append(v.compare, s)
		return nil
	})
	v.training.declare(f, evaluate.FeatureOptions(true), evaluate.AnyLearnerOptions(), evaluate.SamplingOption(), evaluate.SolverOptions())
	f.IntVar(&v.out.Resamples, "bootstrap", 1000, "resample patients (notes without one singly) `N` times for 95 % intervals; 0 for none")
	f.StringVar(&v.report, "report", "", "write figures, intervals and reliability diagrams as one HTML page to `FILE`; it holds no text of notes")
	f.StringVar(&v.files.Entities, "entities", "", "`FILE` of mentions by entity, direct or quasi, of the notes that are scored: count entities with every mention masked")
	f.StringVar(&v.files.Contrast, "contrast", "", contrastUsage)
	f.Float64Var(&v.from.Threshold, "threshold", 0, "mask also every word whose probability of being PHI is at least `P`; 0 for none")
	f.BoolVar(&v.out.Tags, "tags", false, "print precision and recall of B- (first token of a span) and I- (the others) of each label, too")
	f.BoolVar(&v.out.Errors, "errors", false, "list missed PHI and false alarms, by reason and by text")
	f.BoolVar(&v.out.ShowText, "show-text", false, "with --errors, show words of the notes")
}

// evaluateOptions checks the flags.
func (e *env) evaluateOptions(v *evaluateFlags) (crf.Options, error) {
	switch split, whole := v.files.Train != "" || v.test != "" || v.files.Model != "", v.in != ""; {
	case split == whole:
		return crf.Options{}, e.usage("give either --train and --test, --model and --test, or --in")
	case split && v.files.Train != "" && v.files.Model != "" && !v.out.Errors && v.compare == nil:
		return crf.Options{}, e.usage("--model is trained already: give it --test alone, without --train; --train goes with --errors and --compare")
	case split && (v.files.Train == "" && v.files.Model == "" || v.test == ""):
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
	case v.ablate && !v.training.HasFamilies():
		return crf.Options{}, e.usage("--ablate: %s has built-in features", v.training.Learner)
	case v.files.Contrast != "" && v.training.Marks():
		return crf.Options{}, e.usage("--contrast: %s predicts no labels, and would mark these mentions", v.training.Learner)
	case v.compare != nil && (v.ablate || v.out.Errors || v.report != "" || v.files.Entities != ""):
		return crf.Options{}, e.usage("--compare gives figures only: leave out --ablate, --errors, --report and --entities")
	case v.ablate && (v.files.Model != "" || v.out.Errors || v.report != "" || v.files.Entities != ""):
		return crf.Options{}, e.usage("--ablate trains models, and gives figures only: leave out --model, --errors, --report and --entities")
	}
	v.from.Learner, v.out.Learner = v.training.Marker(), v.training.Learner
	if v.files.Model != "" {
		v.from.Learner, v.out.Learner = "", ""
	}
	return v.training.options(e, v.set)
}

// idleEvaluate refuses flags without effect.
func (e *env) idleEvaluate(v *evaluateFlags) error {
	if v.files.Model != "" {
		trained := []string{"folds", "contrast"}
		if v.compare == nil {
			trained = append(trained, append(v.training.table.Names(), "dictionaries", "classes")...)
		}
		return e.refuseUnused(v.set, "with --model, which is trained already", trained...)
	}
	if v.in == "" {
		return e.refuseUnused(v.set, "without --in", "folds")
	}
	return nil
}
