// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"time"

	"hide/internal/crf"
)

// curveFlags are the flags of hide curve as they were typed.
type curveFlags struct {
	in, preset, labels, dictionaries, svg string
	sampling                              []string
	folds, iterations                     int
	seed                                  uint64
	learner                               *learnerFlags
}

func runCurve(ctx context.Context, e *env, args []string) error {
	var v curveFlags
	f := e.flags()
	f.StringVar(&v.in, "in", "", "annotated `FILE` to cross-validate")
	f.Func("sampling", "`SETTINGS` of one curve, may be given again: o=.5,.2,.1 or window=16,8,4 or cost=O:.5/O:.2,DATE:.5; "+samplingHelp, func(s string) error {
		v.sampling = append(v.sampling, s)
		return nil
	})
	f.IntVar(&v.folds, "folds", 5, "number of folds `K`; a patient is never split")
	f.Uint64Var(&v.seed, "seed", 1, "`SEED` that deals the folds and draws the samples")
	f.StringVar(&v.preset, "preset", "default", "`PRESET` of feature families: default, or hide (those of the dissertation)")
	f.StringVar(&v.labels, "labels", "", "comma-separated `LABELS` that count; spans of others are taken for plain text")
	f.StringVar(&v.dictionaries, "dictionaries", "", "`FOLDER` of dictionaries: NAME.txt, one phrase a line")
	f.IntVar(&v.iterations, "iterations", 0, "stop after `N` iterations; 0 means the default")
	f.StringVar(&v.svg, "svg", "", "`FILE` to draw the curves into")
	v.learner = e.learnerFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(f, "in"); err != nil {
		return err
	}
	o, err := e.curveOptions(v)
	if err != nil {
		return err
	}
	lines, err := e.curveLines(v.sampling, v.seed)
	if err != nil {
		return err
	}
	c, err := e.measureCurves(ctx, v, o, lines)
	if err != nil {
		return err
	}
	if err := drawCurves(c); err != nil {
		return err
	}
	return e.result(c, func(w io.Writer) { writeCurves(w, c) })
}

// curveOptions checks what was typed, but for the samplings.
func (e *env) curveOptions(v curveFlags) (crf.Options, error) {
	families, err := e.families(v.preset)
	if err != nil {
		return crf.Options{}, err
	}
	if v.folds < 2 || v.iterations < 0 {
		return crf.Options{}, e.usage("--folds must be at least 2 and --iterations not negative")
	}
	o := crf.Options{Features: families, MaxIterations: v.iterations, Now: time.Now}
	if err := v.learner.into(e, &o); err != nil {
		return crf.Options{}, err
	}
	o.Dictionaries, err = readDictionaries(v.dictionaries)
	return o, err
}
