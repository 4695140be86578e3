// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	flags.BoolVar(&opts.Random, "random-sample", false, "with --finished: the notes are a random sample of the notes to be published, so estimates may use them")
	flags.StringVar(&opts.Columns.ID, "id-column", "", "CSV `column` with the document's id")
	flags.StringVar(&opts.Columns.Text, "text-column", "", "CSV `column` with the text")
	flags.StringVar(&opts.Columns.Patient, "patient-column", "", "CSV `column` with the patient")
	attributes := flags.String("attribute-columns", "", "comma-separated CSV `columns` to keep as attributes (default: all others)")
	paths, err := e.parse(flags, args, 1, 1<<20, "project")
	if err != nil {
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
	return e.result(report.Report, func(w io.Writer) { writeImportReport(w, report.Report) })
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

func runExport(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` to export, by id or name")
	kind := flags.String("format", "jsonl", "`format`: jsonl, or brat (a zip)")
	out := flags.String("out", "", "`file` to write, which must not exist (default: standard output)")
	if _, err := e.parse(flags, args, 0, 0, "project"); err != nil {
		return err
	}
	if err := checkNew(*out); err != nil {
		return err
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		return e.writeTo(*out, func(w io.Writer) error {
			return f.projects.Export(ctx, operator(), p.ID, project.ExportOptions{Format: *kind}, w)
		})
	})
}

// checkNew refuses a path that exists or cannot be written, before any work is done.
func checkNew(path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return withHint(fmt.Errorf("%s exists already", path), "choose another name, or remove it first")
	}
	return checkWritable(path)
}

// writeTo writes to a new file, or to standard output if path is empty. It removes an
// incomplete file.
func (e *env) writeTo(path string, write func(io.Writer) error) error {
	if path == "" {
		return write(e.stdout)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
