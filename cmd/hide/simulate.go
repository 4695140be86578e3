// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"hide/internal/annotate/labels"
	"hide/internal/lab/evaluate"
)

// simulateFlags are the flags of hide simulate.
type simulateFlags struct {
	evaluate.Replay
	in, test, labels, svg, report string
	training                      trainingFlags
}

func runSimulate(ctx context.Context, e *env, args []string) error {
	v, err := e.simulateFlags(args)
	if err != nil {
		return err
	}
	pool, test, err := v.Read(ctx, v.in, v.test, labels.Parse(v.labels))
	if err != nil {
		return err
	}
	result, err := v.Run(ctx, pool, test, v.training.Name(), e.bars())
	if err != nil {
		return err
	}
	if err := result.Draw(v.svg, v.report); err != nil {
		return err
	}
	return e.result(result, result.Write)
}

func (e *env) simulateFlags(args []string) (v simulateFlags, err error) {
	f := e.flags()
	evaluate.ReplayOptions.Bind(f, &v.Replay)
	v.training.declare(f, evaluate.FeatureOptions(false))
	f.StringVar(&v.in, "in", "", "annotated `FILE` to replay: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&v.test, "test", "", "annotated `FILE` to test on; without it part of --in is held out")
	f.StringVar(&v.labels, "labels", "", "comma-separated `LABELS` that count; spans with other labels count as plain text")
	f.StringVar(&v.svg, "svg", "", "`FILE` to draw F1 by notes read into, as SVG")
	f.StringVar(&v.report, "report", "", "`FILE` to write all curves and their numbers to, as a page (HTML)")
	if _, err := e.parse(f, args, 0, 0, "in"); err != nil {
		return v, err
	}
	if v.Step > 0 && !given(f)["schedule"] {
		v.Schedule = "even"
	}
	if (v.Schedule == "even") != (v.Step > 0) {
		return v, e.usage("--step works only with --schedule even")
	}
	v.Train, err = v.training.options(e, f)
	return v, err
}
