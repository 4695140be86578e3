// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/caller"
	"hide/internal/project"
	"hide/internal/project/takeback"
)

// fileFlags say how files of notes are read.
type fileFlags struct {
	format.Options
	attributes    string
	sql, database string
}

func (v *fileFlags) declare(f *flag.FlagSet, format string) {
	f.StringVar(&v.Format, format, "", "`format` of the files, see hide formats (default: detected)")
	f.StringVar(&v.Encoding, "encoding", "", "`encoding` of the files: utf-8, windows-1252, latin-1, utf-16le or utf-16be (default: UTF-8, or what a byte order mark or an XML file says)")
	f.BoolVar(&v.SkipBad, "skip-bad", false, "take the good records and list the bad ones")
	f.StringVar(&v.Columns.ID, "id-column", "", "CSV `column` with the document's id")
	f.StringVar(&v.Columns.Text, "text-column", "", "CSV `column` with the text")
	f.StringVar(&v.Columns.Patient, "patient-column", "", "CSV `column` with the patient")
	f.StringVar(&v.attributes, "attribute-columns", "", "comma-separated CSV `columns` to keep as attributes (default: all others)")
	f.StringVar(&v.sql, "sql", "", "`QUERY` whose rows are the notes, in place of files; columns are chosen as those of CSV")
	f.StringVar(&v.database, "database", "", "`ADDRESS` for --sql: postgres://USER@HOST/NAME, or the path of a SQLite file; a password comes from PGPASSWORD or .pgpass")
}

// files opens what is to be read: the paths, or the query.
func (v *fileFlags) files(from caller.Files, paths []string) ([]format.File, func() error, error) {
	if v.sql == "" {
		return from.Notes(paths)
	}
	f, err := from.Query(v.database, v.sql)
	return []format.File{f}, func() error { return nil }, err
}

// checkQuery refuses a query beside files, or without its database.
func (v *fileFlags) checkQuery(e *env, paths []string, missing string) error {
	switch {
	case v.sql != "" && len(paths) > 0:
		return e.usage("--sql takes the place of files: leave one of them out")
	case (v.sql == "") != (v.database == ""):
		return e.usage("--sql and --database belong together")
	case v.sql == "" && len(paths) == 0:
		return e.usage("%s", missing)
	}
	return nil
}

func (v *fileFlags) options() format.Options {
	if v.attributes != "" {
		v.Columns.Attributes = strings.Split(v.attributes, ",")
	}
	return v.Options
}

const mapUsage = "`MAPPING` of labels: a JSON file, or the name of a built-in one such as meddocan-to-i2b2-2014"

// mapping reads the value of --map; nil for none given.
func (e *env) mapping(value string) (*labels.Mapping, error) {
	switch value {
	case "":
		return nil, nil
	case "none":
		return &labels.Mapping{}, nil
	}
	if m, err := labels.Find(value); err == nil {
		return &m, nil
	}
	f, err := e.files().Open(value)
	if err != nil {
		_, unknown := labels.Find(value)
		return nil, e.usage("--map: no such file, and %v", unknown)
	}
	m, err := labels.Read(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, withHint(fmt.Errorf("--map %s: %w", value, err), `a mapping is {"labels":{"OLD":"NEW","OTHER":""}}, where "" drops the spans`)
	}
	return &m, nil
}

// importFlags are the flags of hide import that are not about reading.
type importFlags struct {
	project, labels string
	dryRun, text    bool
	undo            uint64
}

func runImport(ctx context.Context, e *env, args []string) error {
	var (
		opts project.ImportOptions
		read fileFlags
		v    importFlags
	)
	flags := e.flags()
	d := e.dataFlags(flags)
	flags.StringVar(&v.project, "project", "", "`project` to import into, by id or name")
	read.declare(flags, "format")
	flags.StringVar(&v.labels, "map", "", mapUsage+"; suggested adds labels with a similar name; none keeps all labels (default: the mapping of the project)")
	flags.BoolVar(&v.dryRun, "dry-run", false, "print what would be imported, and import nothing")
	flags.BoolVar(&v.text, "show-text", false, "with --dry-run, print the beginnings of three notes")
	flags.Uint64Var(&v.undo, "undo", 0, "move all notes of import `N` into the bin, instead of importing")
	flags.BoolVar(&opts.Finished, "finished", false, "the files' spans are complete: import the notes as finished")
	flags.BoolVar(&opts.Random, "random-sample", false, "with --finished: the notes are a random sample of the notes to be published, so estimates may use them")
	paths, err := e.parse(flags, args, 0, 1<<20, "project")
	if err != nil {
		return err
	}
	if v.undo > 0 {
		return e.undoImport(ctx, d, v, paths)
	}
	if err := read.checkQuery(e, paths, "missing argument: hide import --project ID PATH..."); err != nil {
		return err
	}
	if opts.Suggest = v.labels == "suggested"; !opts.Suggest {
		if opts.Map, err = e.mapping(v.labels); err != nil {
			return err
		}
	}
	opts.Options = read.options()
	files, closeFiles, err := read.files(e.files(), paths)
	if err != nil {
		return err
	}
	err = d.withProject(ctx, v.project, func(f *folder, p project.Overview) error {
		if v.dryRun {
			return e.previewImport(ctx, f, p.ID, files, opts, v.text)
		}
		return e.importInto(ctx, f, p.ID, files, opts)
	})
	return errors.Join(err, closeFiles())
}

func (e *env) undoImport(ctx context.Context, d *dataFlags, v importFlags, paths []string) error {
	if len(paths) > 0 || v.dryRun {
		return e.usage("--undo takes no files, and goes without --dry-run")
	}
	return d.withProject(ctx, v.project, func(f *folder, p project.Overview) error {
		if err := f.projects.UndoImport(ctx, operator(ctx), p.ID, v.undo, takeback.ImportWords(v.undo)); err != nil {
			return err
		}
		return e.result(map[string]any{"undone": v.undo}, func(w io.Writer) {
			fmt.Fprintf(w, "import %d is undone; its notes are in the bin for %d days\n", v.undo, project.BinDays)
		})
	})
}

func (e *env) previewImport(ctx context.Context, f *folder, id project.ID, files []format.File, opts project.ImportOptions, text bool) error {
	bar := e.progress("reading notes")
	opts.Progress = func(notes int) { bar.Step(notes, 0, "") }
	p, err := f.projects.Preview(ctx, operator(ctx), id, files, opts)
	bar.End()
	if err != nil {
		return err
	}
	if !text { // both hold what the files hold
		p.Samples, p.Columns = []format.Sample{}, []string{}
	}
	return e.result(p, func(w io.Writer) { p.Write(w, text) })
}

func (e *env) importInto(ctx context.Context, f *folder, id project.ID, files []format.File, opts project.ImportOptions) error {
	bar := e.progress("importing notes")
	opts.Progress = func(notes int) { bar.Step(notes, 0, "") }
	report, err := f.projects.Import(ctx, operator(ctx), id, files, opts)
	bar.End()
	if err != nil {
		return err
	}
	v := struct {
		format.Report
		Import uint64 `json:"import"`
	}{report.Report, report.Number}
	return e.result(v, func(w io.Writer) {
		fmt.Fprintf(w, "imported %d notes with %d spans (%s)\n", report.Documents, report.Spans, strings.TrimSpace(report.Format+" "+report.Detail))
		report.Write(w)
	})
}

func runExport(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` to export, by id or name")
	opts := project.ExportOptions{}
	flags.StringVar(&opts.Format, "format", "jsonl", "`format`: "+strings.Join(format.Writable(), ", "))
	mapped := flags.String("map", "", mapUsage)
	out := flags.String("out", "", "`file` to write, which must not exist (default: standard output)")
	if _, err := e.parse(flags, args, 0, 0, "project"); err != nil {
		return err
	}
	if err := e.files().CheckNew(*out); err != nil {
		return err
	}
	m, err := e.mapping(*mapped)
	if err != nil {
		return err
	}
	if m != nil {
		opts.Map = *m
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		lost, err := f.projects.ExportLosses(ctx, operator(ctx), p.ID, opts)
		if err != nil {
			return err
		}
		e.sayLost(lost)
		return e.writeTo(*out, func(w io.Writer) error { return f.projects.Export(ctx, operator(ctx), p.ID, opts, w) })
	})
}

// sayLost names what a file will not hold, before it is written.
func (e *env) sayLost(lost []string) {
	for _, line := range lost {
		fmt.Fprintln(e.stderr, "hide: the file will differ:", oneLine(line))
	}
}

// writeTo writes to a new file, or to standard output if path is empty. It removes an
// incomplete file.
func (e *env) writeTo(path string, write func(io.Writer) error) error {
	if path == "" {
		return write(e.stdout)
	}
	return e.files().Create(path, write)
}
