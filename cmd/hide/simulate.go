// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/chart"
	"hide/internal/crf"
	"hide/internal/lab/evaluate"
)

// simulateFlags are the flags of hide simulate as they were typed.
type simulateFlags struct {
	in, test, orders, schedule, labels, svg, report string
	features                                        *featureFlags
	holdout                                         float64
	replay                                          bootstrap.Options
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
	v.replay.Progress = func(done, total int, order bootstrap.Order, documents int) {
		p.step(done, total, strings.TrimSpace(fmt.Sprintf("%s %d notes", order, documents)))
	}
	result, err := bootstrap.Replay(ctx, pool, test, v.replay)
	p.end()
	if err != nil {
		return err
	}
	if err := drawSimulation(v, result); err != nil {
		return err
	}
	return e.result(simulation{result, v.features.name(), v.replay.Seed}, func(w io.Writer) { evaluate.WriteReplay(w, result) })
}

// simulation is what hide simulate says.
type simulation struct {
	*bootstrap.Result
	Preset string `json:"preset"`
	Seed   uint64 `json:"seed"`
}

func (e *env) simulateFlags(args []string) (simulateFlags, error) {
	var v simulateFlags
	f := e.flags()
	f.StringVar(&v.in, "in", "", "annotated `FILE` to replay: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&v.test, "test", "", "annotated `FILE` to test on; without it part of --in is held out")
	f.Float64Var(&v.holdout, "holdout", 0.2, "without --test, `SHARE` of the notes to hold out; a patient is never split")
	f.StringVar(&v.orders, "order", "active,random", "`ORDERS` to compare: active is that of a project's queue, random is drawn")
	f.IntVar(&v.replay.Start, "start", bootstrap.BeforeModel, "train first when `N` notes are read")
	f.StringVar(&v.schedule, "schedule", "", "`WHEN` to train: geometric, when an eighth more notes are read (the default), or even, with --step")
	f.IntVar(&v.replay.Step, "step", 0, "train whenever `N` more notes are read")
	f.IntVar(&v.replay.Most, "most", 0, "stop when `N` notes are read; 0 means all")
	f.IntVar(&v.replay.Repeats, "repeats", 1, "replay each order `N` times, drawn anew")
	f.Float64Var(&v.replay.Goal, "goal", 0.95, "`SHARE` of the F1 of all notes that is to be reached")
	f.Uint64Var(&v.replay.Seed, "seed", 1, "`SEED` that draws orders and held out notes")
	v.features = e.featureFlags(f)
	f.StringVar(&v.labels, "labels", "", "comma-separated `LABELS` that count; spans of others are taken for plain text")
	f.StringVar(&v.svg, "svg", "", "`FILE` to draw F1 by notes read into, as SVG")
	f.StringVar(&v.report, "report", "", "`FILE` to write all curves and their numbers to, as a page (HTML)")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return v, err
	}
	if err := e.required(f, "in"); err != nil {
		return v, err
	}
	return v, e.simulateOptions(&v)
}

// simulateOptions checks what was typed, and reads the dictionaries.
func (e *env) simulateOptions(v *simulateFlags) error {
	switch r := v.replay; {
	case v.test == "" && !(v.holdout > 0 && v.holdout < 1):
		return e.usage("--holdout is a share, above 0 and below 1")
	case r.Start < 1 || r.Step < 0 || r.Most < 0 || r.Repeats < 1:
		return e.usage("--start and --repeats must be at least 1, --step and --most not negative")
	case !(r.Goal > 0 && r.Goal <= 1):
		return e.usage("--goal is a share, above 0 and at most 1")
	case !slices.Contains([]string{"", "geometric", "even"}, v.schedule):
		return e.usage("unknown schedule %q: there are geometric and even", v.schedule)
	case v.schedule == "geometric" && r.Step > 0 || v.schedule == "even" && r.Step == 0:
		return e.usage("--step goes with --schedule even, and with no other")
	}
	for _, name := range strings.Split(v.orders, ",") {
		o := bootstrap.Order(strings.TrimSpace(name))
		if o != bootstrap.Active && o != bootstrap.AtRandom || slices.Contains(v.replay.Orders, o) {
			return e.usage("--order: %q: there are active and random, each once", name)
		}
		v.replay.Orders = append(v.replay.Orders, o)
	}
	v.replay.Train = crf.Options{Now: time.Now}
	return v.features.into(e, &v.replay.Train)
}

func simulateNotes(ctx context.Context, v simulateFlags) (pool, test []annotate.Annotated, err error) {
	if pool, err = readEvaluated(ctx, v.in, v.labels); err != nil {
		return nil, nil, err
	}
	if v.test != "" {
		test, err = readEvaluated(ctx, v.test, v.labels)
		return pool, test, err
	}
	pool, test, err = bootstrap.Split(pool, v.holdout, v.replay.Seed)
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
