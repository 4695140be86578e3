// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/corpus"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/hint"
	"hide/internal/lab"
	"hide/internal/outfile"
)

// Files name what an experiment reads and writes; "" names no file.
type Files struct {
	In       string // to train on
	Test     string // to publish
	Transfer string // to train the transfer attacker on
	Resume   string // keeps finished results
	CSV      string // all figures
	HTML     string // charts and tables as a page
}

// Open reads the notes and prepares an experiment. version and command go into the report.
func (f Files) Open(ctx context.Context, o Options, version, command string, progress lab.Progress) (*Experiment, error) {
	in := Input{Version: version, Command: command}
	other := o.Sensitive
	if o.OtherSensitive != nil {
		other = o.OtherSensitive
	}
	for _, corpus := range []struct {
		name   string
		labels []annotate.Label
		into   *[]annotate.Note
	}{{f.In, o.Sensitive, &in.Docs}, {f.Test, o.Sensitive, &in.Test}, {f.Transfer, other, &in.Other}} {
		if corpus.name == "" {
			continue
		}
		var err error
		if *corpus.into, err = readSensitive(ctx, corpus.name, corpus.labels); err != nil {
			return nil, err
		}
	}
	x, err := New(o, in, f.Resume, progress)
	if resume := (*ResumeError)(nil); errors.As(err, &resume) {
		err = hint.Add(err, "name another file with --resume, or remove this one to start again")
	}
	return x, err
}

// readSensitive reads a corpus and keeps the spans of the given labels, nil for all.
func readSensitive(ctx context.Context, name string, labels []annotate.Label) ([]annotate.Note, error) {
	notes, _, err := corpus.Notes(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := CheckLabels(notes, labels); err != nil {
		return nil, hint.Add(fmt.Errorf("%s: %w", name, err), "list the sensitive labels with --sensitive; labels are case-sensitive, and all means every label")
	}
	return lab.Sensitive(notes, labels), nil
}

// Finish runs an experiment, writes the files and calls show with the report. When ctx ends
// early, it does so with the results that are there.
func (f Files) Finish(ctx context.Context, x *Experiment, show func(Report) error) error {
	err := x.Run(ctx)
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return f.interrupted(x, err, show)
	case errors.Is(err, greedy.ErrFewDocuments):
		return hint.Add(err, "an experiment needs notes of more patients, to hold some out")
	case errors.Is(err, attack.ErrFewDocuments):
		return hint.Add(err, "leave out the --attackers that are trained, or publish more documents")
	case err != nil:
		return err
	}
	return f.write(ctx, x.Report(), show)
}

// interrupted shows the results of an interrupted run, and says how to continue.
func (f Files) interrupted(x *Experiment, err error, show func(Report) error) error {
	finished, all := x.Finished()
	if finished > 0 {
		report := x.Report()
		report.Partial = true
		err = errors.Join(err, f.write(context.Background(), report, show)) // the context of the run has ended
	}
	if f.Resume != "" {
		return hint.Add(err, fmt.Sprintf("%d of %d results are kept in %s: the same command continues from there", finished, all, f.Resume))
	}
	return hint.Add(err, fmt.Sprintf("%d of %d results were finished; with --resume FILE an interrupted run can continue", finished, all))
}

func (f Files) write(ctx context.Context, r Report, show func(Report) error) error {
	if _, err := outfile.Write(f.CSV, r.WriteCSV); err != nil {
		return err
	}
	if _, err := outfile.Write(f.HTML, func(w io.Writer) error { return chart.WriteReport(ctx, w, r.Page()) }); err != nil {
		return err
	}
	return show(r)
}
