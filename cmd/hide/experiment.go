// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/corpus"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/lab"
	"hide/internal/lab/experiment"
	"hide/internal/outfile"
)

// experimentFlags are the flags of hide experiment.
type experimentFlags struct {
	experiment.Options
	in, test, transfer, dictionaries string
	csv, html, resume                string
}

func runExperiment(ctx context.Context, e *env, args []string) error {
	x, v, err := e.openExperiment(ctx, args)
	if err != nil {
		return err
	}
	return e.finishExperiment(ctx, x, v)
}

func (v *experimentFlags) declare(f *flag.FlagSet) {
	experiment.Table().Bind(f, &v.Options)
	f.StringVar(&v.in, "in", "", "annotated `FILE` to train on: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&v.test, "test", "", "annotated `FILE` to publish, trained on all of --in; without it each document of --in is published once")
	f.StringVar(&v.transfer, "transfer", "", "annotated `FILE` of another institution or kind, on which the transfer attacker is trained")
	f.StringVar(&v.dictionaries, "dictionaries", "", dictionariesUsage)
	f.StringVar(&v.resume, "resume", "", "keep finished results in `FILE` and continue from there when run again; more modes, learners and values of L/C may be added")
	f.StringVar(&v.csv, "csv", "", "write all figures, one per line, to `FILE`")
	f.StringVar(&v.html, "html", "", "write charts and tables as one HTML page to `FILE`; it holds labels and numbers, no text of notes")
}

// openExperiment reads flags and corpora.
func (e *env) openExperiment(ctx context.Context, args []string) (*experiment.Experiment, experimentFlags, error) {
	v, err := e.experimentFlags(args)
	if err != nil {
		return nil, v, err
	}
	in := experiment.Input{Version: toolVersion(), Command: experiment.CommandLine(args)}
	other := v.Sensitive
	if v.OtherSensitive != nil {
		other = v.OtherSensitive
	}
	for _, corpus := range []struct {
		name   string
		labels []annotate.Label
		into   *[]annotate.Note
	}{{v.in, v.Sensitive, &in.Docs}, {v.test, v.Sensitive, &in.Test}, {v.transfer, other, &in.Other}} {
		if corpus.name == "" {
			continue
		}
		if *corpus.into, err = readSensitive(ctx, corpus.name, corpus.labels); err != nil {
			return nil, v, err
		}
	}
	x, err := experiment.New(v.Options, in, v.resume, e.bars())
	if resume := (*experiment.ResumeError)(nil); errors.As(err, &resume) {
		err = withHint(err, "name another file with --resume, or remove this one to start again")
	}
	return x, v, e.refused(err)
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
	case transfers && v.transfer == "":
		return v, e.usage("--attackers: transfer needs another annotated corpus to train on: add --transfer FILE (and --transfer-sensitive LABELS where its labels have other names), or leave transfer out")
	case !transfers && v.transfer != "":
		return v, e.usage("--transfer goes with --attackers transfer")
	}
	var err error
	if v.Dictionaries, err = corpus.Dictionaries(v.dictionaries); err != nil {
		return v, err
	}
	return v, e.refused(v.Check())
}

// finishExperiment computes the missing results and prints everything.
func (e *env) finishExperiment(ctx context.Context, x *experiment.Experiment, v experimentFlags) error {
	err := x.Run(ctx)
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return e.cutExperiment(x, v, err)
	case errors.Is(err, greedy.ErrFewDocuments):
		return withHint(err, "an experiment needs notes of more patients, to hold some out")
	case errors.Is(err, attack.ErrFewDocuments):
		return withHint(err, "leave out the --attackers that are trained, or publish more documents")
	case err != nil:
		return err
	}
	return e.sayExperiment(ctx, x.Report(), v)
}

// cutExperiment prints the results of an interrupted run, writes them to the requested
// files, and says how to continue.
func (e *env) cutExperiment(x *experiment.Experiment, v experimentFlags, err error) error {
	finished, all := x.Finished()
	if finished > 0 {
		report := x.Report()
		report.Partial = true
		err = errors.Join(err, e.sayExperiment(context.Background(), report, v)) // the context of the run has ended
	}
	if v.resume != "" {
		return withHint(err, fmt.Sprintf("%d of %d results are kept in %s: the same command continues from there", finished, all, v.resume))
	}
	return withHint(err, fmt.Sprintf("%d of %d results were finished; with --resume FILE an interrupted run can continue", finished, all))
}

// sayExperiment writes the requested files and prints the report.
func (e *env) sayExperiment(ctx context.Context, r experiment.Report, v experimentFlags) error {
	if _, err := outfile.Write(v.csv, r.WriteCSV); err != nil {
		return err
	}
	if _, err := outfile.Write(v.html, func(w io.Writer) error { return chart.WriteReport(ctx, w, r.Page()) }); err != nil {
		return err
	}
	return e.result(r, r.Write)
}

// readSensitive reads a corpus and keeps the spans of the given labels, nil for all.
func readSensitive(ctx context.Context, name string, labels []annotate.Label) ([]annotate.Note, error) {
	notes, _, err := corpus.Notes(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := experiment.CheckLabels(notes, labels); err != nil {
		return nil, withHint(fmt.Errorf("%s: %w", name, err), "list the sensitive labels with --sensitive; labels are case-sensitive, and all means every label")
	}
	return lab.Sensitive(notes, labels), nil
}
