// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/chart"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
)

// simulateFlags are the flags of hide simulate.
type simulateFlags struct {
	bootstrap.Options
	in, test, schedule, labels, svg, report string
	holdout                                 float64
	training                                trainingFlags
}

var simulateOptions = option.Table[simulateFlags]{
	option.Number(option.About{Name: "holdout", Default: "0.2", Value: "SHARE", Help: "The share of the notes to hold out where there is no --test; a patient is never split."},
		option.Above(0).Below(1), func(v *simulateFlags) *float64 { return &v.holdout }),
	option.Some(option.About{Name: "order", Default: "active,random", Value: "ORDERS", Help: "Orders to compare."},
		[]option.Choice{{Value: string(bootstrap.Active), Help: "that of a project's queue"}, {Value: string(bootstrap.AtRandom)}}, func(v *simulateFlags) *[]bootstrap.Order { return &v.Orders }),
	option.Whole(option.About{Name: "start", Default: strconv.Itoa(bootstrap.BeforeModel), Value: "N", Help: "Train first when N notes are read."},
		option.AtLeast(1), func(v *simulateFlags) *int { return &v.Start }),
	option.One(option.About{Name: "schedule", Default: "geometric", Value: "WHEN", Help: "When to train."},
		[]option.Choice{{Value: "geometric", Help: "when an eighth more notes are read"}, {Value: "even", Help: "with --step"}}, func(v *simulateFlags) *string { return &v.schedule }),
	option.Whole(option.About{Name: "step", Value: "N", Help: "Train whenever N more notes are read."}, option.AtLeast(0), func(v *simulateFlags) *int { return &v.Step }),
	option.Whole(option.About{Name: "most", Value: "N", Help: "Stop when N notes are read; 0 means all."}, option.AtLeast(0), func(v *simulateFlags) *int { return &v.Most }),
	option.Whole(option.About{Name: "repeats", Default: "1", Value: "N", Help: "Replay each order N times, drawn anew."}, option.AtLeast(1), func(v *simulateFlags) *int { return &v.Repeats }),
	option.Number(option.About{Name: "goal", Default: "0.95", Value: "SHARE", Help: "The share of the F1 of all notes that is to be reached."}, option.Above(0).AtMost(1), func(v *simulateFlags) *float64 { return &v.Goal }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "SEED", Help: "The seed decides orders and which notes are held out."}, func(v *simulateFlags) *uint64 { return &v.Seed }),
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
		p.step(done, total, strings.TrimSpace(fmt.Sprintf("%s %d notes", order, documents)))
	}
	result, err := bootstrap.Replay(ctx, pool, test, v.Options)
	p.end()
	if err != nil {
		return err
	}
	if err := drawSimulation(v, result); err != nil {
		return err
	}
	return e.result(simulation{result, v.training.Name(), v.Seed}, func(w io.Writer) { evaluate.WriteReplay(w, result) })
}

// simulation is what hide simulate says.
type simulation struct {
	*bootstrap.Result
	Preset string `json:"preset"`
	Seed   uint64 `json:"seed"`
}

func (e *env) simulateFlags(args []string) (v simulateFlags, err error) {
	f := e.flags()
	simulateOptions.Bind(f, &v)
	v.training.declare(f, evaluate.FeatureOptions())
	f.StringVar(&v.in, "in", "", "annotated `FILE` to replay: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&v.test, "test", "", "annotated `FILE` to test on; without it part of --in is held out")
	f.StringVar(&v.labels, "labels", "", "comma-separated `LABELS` that count; spans of others are taken for plain text")
	f.StringVar(&v.svg, "svg", "", "`FILE` to draw F1 by notes read into, as SVG")
	f.StringVar(&v.report, "report", "", "`FILE` to write all curves and their numbers to, as a page (HTML)")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return v, err
	}
	if err := e.required(f, "in"); err != nil {
		return v, err
	}
	if v.Step > 0 && !given(f)["schedule"] {
		v.schedule = "even"
	}
	if (v.schedule == "even") != (v.Step > 0) {
		return v, e.usage("--step goes with --schedule even, and with no other")
	}
	v.Train, err = v.training.options(e, f)
	return v, err
}

func simulateNotes(ctx context.Context, v simulateFlags) (pool, test []annotate.Annotated, err error) {
	if pool, err = readEvaluated(ctx, v.in, v.labels); err != nil {
		return nil, nil, err
	}
	if v.test != "" {
		test, err = readEvaluated(ctx, v.test, v.labels)
		return pool, test, err
	}
	pool, test, err = bootstrap.Split(pool, v.holdout, v.Seed)
	if err == nil && !slices.ContainsFunc(test, func(n annotate.Annotated) bool { return len(n.Spans) > 0 }) {
		err = fmt.Errorf("%s: the %d documents held out hold no span: there is nothing to score", v.in, len(test))
	}
	if err != nil {
		err = withHint(err, "give notes of more patients, or notes to test on with --test")
	}
	return pool, test, err
}

// drawSimulation writes the files that were asked for.
func drawSimulation(v simulateFlags, r *bootstrap.Result) error {
	var errs []error
	draw := func(name string, write func(io.Writer, *bootstrap.Result) error) {
		if name == "" {
			return
		}
		if _, err := writeFile(name, func(w io.Writer) error { return write(w, r) }); err != nil {
			errs = append(errs, fmt.Errorf("draw the curves: %w", err))
		}
	}
	draw(v.svg, chart.WriteReplayChart)
	draw(v.report, chart.WriteReplayReport)
	return errors.Join(errs...)
}
