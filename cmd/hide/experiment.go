// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"slices"

	"hide/internal/corpus"
	"hide/internal/greedy/attack"
	"hide/internal/lab/experiment"
)

// experimentFlags are the flags of hide experiment.
type experimentFlags struct {
	experiment.Options
	files        experiment.Files
	dictionaries string
	classes      string
}

func runExperiment(ctx context.Context, e *env, args []string) error {
	v, err := e.experimentFlags(args)
	if err != nil {
		return err
	}
	x, err := v.files.Open(ctx, v.Options, toolVersion(), experiment.CommandLine(args), e.bars())
	if err != nil {
		return e.refused(err)
	}
	return v.files.Finish(ctx, x, func(r experiment.Report) error { return e.result(r, r.Write) })
}

func (v *experimentFlags) declare(f *flag.FlagSet) {
	experiment.Table().Bind(f, &v.Options)
	f.StringVar(&v.files.In, "in", "", "annotated `FILE` to train on: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&v.files.Test, "test", "", "annotated `FILE` to publish, trained on all of --in; without it each document of --in is published once")
	f.StringVar(&v.files.Transfer, "transfer", "", "annotated `FILE` of another institution or kind, on which the transfer attacker is trained")
	f.StringVar(&v.dictionaries, "dictionaries", "", dictionariesUsage)
	f.StringVar(&v.classes, "classes", "", classesUsage)
	f.StringVar(&v.files.Resume, "resume", "", "keep finished results in `FILE` and continue from there when run again; more modes, learners and values of L/C may be added")
	f.StringVar(&v.files.CSV, "csv", "", "write all figures, one per line, to `FILE`")
	f.StringVar(&v.files.HTML, "html", "", "write charts and tables as one HTML page to `FILE`; it holds labels and numbers, no text of notes")
}

func (e *env) experimentFlags(args []string) (experimentFlags, error) {
	var v experimentFlags
	f := e.flags()
	v.declare(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return v, err
	}
	if unused := e.refused(experiment.Table().Unused(f, &v.Options)); unused != nil {
		return v, unused
	}
	if err := e.required(f, "in"); err != nil {
		return v, err
	}
	if !v.Frontier && !v.Ablate && !v.Curve {
		if err := e.refuseUnused(f, "without --frontier, --ablate or --curve", "kept"); err != nil {
			return v, err
		}
	}
	transfers := slices.Contains(v.Attackers, attack.Transfer)
	switch {
	case transfers && v.files.Transfer == "":
		return v, e.usage("--attackers: transfer needs another annotated corpus to train on: add --transfer FILE (and --transfer-sensitive LABELS where its labels have other names), or leave transfer out")
	case !transfers && v.files.Transfer != "":
		return v, e.usage("--transfer goes with --attackers transfer")
	}
	var err error
	if v.Dictionaries, err = corpus.Dictionaries(v.dictionaries); err != nil {
		return v, err
	}
	if v.Classes, err = corpus.Classes(v.classes); err != nil {
		return v, err
	}
	return v, e.refused(v.Check())
}
