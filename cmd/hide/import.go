// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"hide/internal/annotate/format"
	"hide/internal/project"
)

func runImport(ctx context.Context, e *env, args []string) error {
	var opts project.ImportOptions
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` to import into, by id or name")
	flags.StringVar(&opts.Format, "format", "", "`format`: text, jsonl, csv, brat or conll (default: detected)")
	flags.BoolVar(&opts.SkipBad, "skip-bad", false, "import the good records and list the bad ones")
	flags.BoolVar(&opts.Finished, "finished", false, "the files' spans are complete: import the notes as finished")
	flags.BoolVar(&opts.Random, "random-sample", false, "with --finished: the notes are a random sample of those to be published, so estimates may rest on them")
	flags.StringVar(&opts.Columns.ID, "id-column", "", "CSV `column` with the document's id")
	flags.StringVar(&opts.Columns.Text, "text-column", "", "CSV `column` with the text")
	flags.StringVar(&opts.Columns.Patient, "patient-column", "", "CSV `column` with the patient")
	attributes := flags.String("attribute-columns", "", "comma-separated CSV `columns` to keep as attributes (default: all others)")
	paths, err := e.parse(flags, args, 1, 1<<20)
	if err != nil {
		return err
	}
	if err := e.required(flags, "project"); err != nil {
		return err
	}
	if *attributes != "" {
		opts.Columns.Attributes = strings.Split(*attributes, ",")
	}
	files, closeFiles, err := format.FromPaths(paths)
	if err != nil {
		return err
	}
	err = d.withFolder(false, func(f *folder) error { return e.importInto(ctx, f, *name, files, opts) })
	return errors.Join(err, closeFiles())
}

func (e *env) importInto(ctx context.Context, f *folder, name string, files []format.File, opts project.ImportOptions) error {
	p, err := f.projects.Find(ctx, operator(), name)
	if err != nil {
		return err
	}
	report, err := f.projects.Import(ctx, operator(), p.ID, files, opts)
	if err != nil {
		return err
	}
	return e.result(report, func(w io.Writer) { writeImportReport(w, report) })
}

func writeImportReport(w io.Writer, r format.Report) {
	fmt.Fprintf(w, "imported %d notes with %d spans (%s)\n", r.Documents, r.Spans, strings.TrimSpace(r.Format+" "+r.Detail))
	for _, n := range r.Notes {
		fmt.Fprintln(w, "note:", n)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "refused: %v\n", &p)
	}
	if r.Refused > len(r.Problems) {
		fmt.Fprintf(w, "and %d more refused\n", r.Refused-len(r.Problems))
	}
}
