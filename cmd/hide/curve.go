// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/crf"
	"hide/internal/crf/trade"
	"hide/internal/greedy/learners"
	"hide/internal/greedy/settings"
	"hide/internal/lab/evaluate"
	"hide/internal/outfile"
)

// curves is the output of hide curve.
type curves struct {
	trade.Curves
	Preset string `json:"preset,omitempty"` // empty if the learner has no such features
	SVG    string `json:"svg,omitempty"`    // the file drawn
}

// curveFlags are the flags of hide curve as typed.
type curveFlags struct {
	in, labels, svg string
	sampling        []string
	folds           int
	seed            uint64
	training        trainingFlags
}

func runCurve(ctx context.Context, e *env, args []string) error {
	var v curveFlags
	f := e.flags()
	f.StringVar(&v.in, "in", "", "annotated `FILE` to cross-validate")
	f.Func("sampling", "`SETTINGS` of one curve, may be given again: o=.5,.2,.1 or window=16,8,4 or cost=O:.5/O:.2,DATE:.5; "+settings.SamplingHelp, func(s string) error {
		v.sampling = append(v.sampling, s)
		return nil
	})
	f.IntVar(&v.folds, "folds", 5, "number of folds `K`; a patient is never split")
	f.Uint64Var(&v.seed, "seed", 1, "`SEED` that deals the folds and draws the samples")
	f.StringVar(&v.labels, "labels", "", "comma-separated `LABELS` that count; spans with other labels count as plain text")
	f.StringVar(&v.svg, "svg", "", "`FILE` to draw the curves into")
	v.training.declare(f, evaluate.FeatureOptions(true), evaluate.LearnerOptions(true))
	if _, err := e.parse(f, args, 0, 0, "in"); err != nil {
		return err
	}
	if v.folds < 2 {
		return e.usage("--folds must be at least 2")
	}
	o, err := v.training.options(e, f)
	if err != nil {
		return err
	}
	lines, err := e.curveLines(v.sampling, v.seed)
	if err != nil {
		return err
	}
	notes, err := readEvaluated(ctx, v.in, v.labels, nil)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if err := evaluate.CheckCosts(notes, l.Samplings...); err != nil {
			return e.refused(err)
		}
	}
	c, err := e.measureCurves(ctx, v, o, notes, lines)
	if err != nil {
		return err
	}
	if err := drawCurves(c); err != nil {
		return err
	}
	return e.result(c, func(w io.Writer) { evaluate.WriteCurves(w, c.Curves) })
}

// curveLines reads every --sampling. The default is the usual curves.
func (e *env) curveLines(typed []string, seed uint64) ([]trade.Line, error) {
	if len(typed) == 0 {
		typed = trade.Usual()
	}
	lines := make([]trade.Line, len(typed))
	for i, text := range typed {
		var err error
		if lines[i], err = trade.ParseLine(text, seed); err != nil {
			return nil, e.usage("--%v", err)
		}
	}
	return lines, nil
}

// measureCurves cross-validates with every setting of every line.
func (e *env) measureCurves(ctx context.Context, v curveFlags, o crf.Options, notes []annotate.Annotated, lines []trade.Line) (curves, error) {
	p := e.progress("cross-validating with sampling")
	defer p.End()
	measured := trade.Options{
		Options: o, Folds: v.folds, Seed: v.seed,
		Begin: func(done, of int, s crf.Sampling) { p.Step(done, of, s.String()) },
	}
	if v.training.Marks() {
		var err error
		if measured.Marker, err = learners.Marker(v.training.Learner, notes, learners.Options{CRF: o, Seed: v.seed}); err != nil {
			return curves{}, err
		}
	}
	c, err := trade.Measure(ctx, notes, lines, measured)
	out := curves{Curves: c, SVG: v.svg}
	if v.training.HasFamilies() {
		out.Preset = v.training.Name()
	}
	return out, err
}

// drawCurves writes the requested drawing.
func drawCurves(c curves) error {
	title := fmt.Sprintf("Precision against recall by sampling: %s, %d documents, %d folds", c.Learner, c.Documents, c.Folds)
	_, err := outfile.Write(c.SVG, func(w io.Writer) error { return chart.WriteLines(w, title, chart.CurvePanels(c.Curves, nil)) })
	if err != nil {
		return fmt.Errorf("write the drawing: %w", err)
	}
	return nil
}
