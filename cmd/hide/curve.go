// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"hide/internal/annotate/labels"
	"hide/internal/crf/trade"
	"hide/internal/greedy/settings"
	"hide/internal/lab/evaluate"
)

func runCurve(ctx context.Context, e *env, args []string) error {
	var v evaluate.Sampling
	var training trainingFlags
	var sampling []string
	f := e.flags()
	in := f.String("in", "", "annotated `FILE` to cross-validate")
	f.Func("sampling", "`SETTINGS` of one curve, may be given again: o=.5,.2,.1 or window=16,8,4 or cost=O:.5/O:.2,DATE:.5; "+settings.SamplingHelp+"; "+evaluate.TimesHelp, func(s string) error {
		sampling = append(sampling, s)
		return nil
	})
	f.IntVar(&v.Folds, "folds", 5, "number of folds `K`; a patient is never split")
	f.Uint64Var(&v.Seed, "seed", 1, "`SEED` that deals the folds and draws the samples")
	counted := f.String("labels", "", labelsUsage)
	svg := f.String("svg", "", "`FILE` to draw the curves into")
	training.declare(f, evaluate.FeatureOptions(true), evaluate.LearnerOptions(true))
	if _, err := e.parse(f, args, 0, 0, "in"); err != nil {
		return err
	}
	if v.Folds < 2 {
		return e.usage("--folds must be at least 2")
	}
	var err error
	if v.Options, err = training.options(e, f); err != nil {
		return err
	}
	v.Training = training.Training
	if v.Lines, err = trade.ParseLines(sampling, v.Seed); err != nil {
		return e.usage("--%v", err)
	}
	notes, err := evaluate.ReadNotes(ctx, *in, labels.Parse(*counted), nil)
	if err != nil {
		return err
	}
	c, err := evaluate.MeasureSampling(ctx, notes, v, e.bars())
	if err != nil {
		return e.refused(err)
	}
	if err := c.Draw(*svg); err != nil {
		return err
	}
	return e.result(c, c.Write)
}
