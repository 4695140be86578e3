// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/chart"
	"hide/internal/lab/evaluate"
	"hide/internal/outfile"
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
	pool, test, err := simulateNotes(ctx, v)
	if err != nil {
		return err
	}
	p := e.progress("training")
	v.Progress = func(done, total int, order bootstrap.Order, documents int) {
		p.Step(done, total, strings.TrimSpace(fmt.Sprintf("%s %d notes", order, documents)))
	}
	result, err := bootstrap.Replay(ctx, pool, test, v.Replay.Options)
	p.End()
	if err != nil {
		return err
	}
	if err := drawSimulation(v, result); err != nil {
		return err
	}
	return e.result(simulation{result, v.training.Name(), v.Seed}, func(w io.Writer) { evaluate.WriteReplay(w, result) })
}

// simulation is the output of hide simulate.
type simulation struct {
	*bootstrap.Result
	Preset string `json:"preset"`
	Seed   uint64 `json:"seed"`
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

func simulateNotes(ctx context.Context, v simulateFlags) (pool, test []annotate.Annotated, err error) {
	if pool, err = readEvaluated(ctx, v.in, v.labels, nil); err != nil {
		return nil, nil, err
	}
	if v.test != "" {
		test, err = readEvaluated(ctx, v.test, v.labels, nil)
		return pool, test, err
	}
	pool, test, err = bootstrap.Split(pool, v.Holdout, v.Seed)
	if err == nil && !slices.ContainsFunc(test, func(n annotate.Annotated) bool { return len(n.Spans) > 0 }) {
		err = fmt.Errorf("%s: the %d documents held out hold no span: there is nothing to score", v.in, len(test))
	}
	if err != nil {
		err = withHint(err, "give notes of more patients, or notes to test on with --test")
	}
	return pool, test, err
}

// drawSimulation writes the requested files.
func drawSimulation(v simulateFlags, r *bootstrap.Result) error {
	_, err1 := outfile.Write(v.svg, func(w io.Writer) error { return chart.WriteReplayChart(w, r) })
	_, err2 := outfile.Write(v.report, func(w io.Writer) error { return chart.WriteReplayReport(w, r) })
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("draw the curves: %w", err)
	}
	return nil
}
