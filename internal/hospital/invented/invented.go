// SPDX-License-Identifier: Apache-2.0

// Package invented writes the notes of a generated hospital into files, and reads and writes
// the truth about them: the person of each note.
//
//	o := invented.Options{Options: hospital.Options{Patients: 100, Seed: 1}, Format: "jsonl", Out: "notes.jsonl", Truth: "truth.csv"}
//	report, err := invented.Write(ctx, o, os.Stdout, nil)
//	truth, err := invented.OpenTruth("truth.csv")
package invented

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/hospital"
	"hide/internal/outfile"
)

// Options say what to generate, and which files to write.
type Options struct {
	hospital.Options
	Format string // "jsonl" with spans, "csv", or "text" for a folder of files
	Out    string // file, or a new folder for text; "" for standard output
	Truth  string // CSV file of the person of each note; "" for none
}

// Check reports whether the options are valid.
func (o Options) Check() error {
	switch o.Format {
	case "jsonl", "text", "csv":
	default:
		return fmt.Errorf("unknown format %q; choose jsonl, text or csv", o.Format)
	}
	if o.Identities && o.Format != "jsonl" {
		return errors.New("only the format jsonl holds identities")
	}
	return o.Options.Check()
}

// Report counts what was written.
type Report struct {
	Out      string `json:"out"`
	Format   string `json:"format"`
	Patients int    `json:"patients"`
	Notes    int    `json:"notes"`
	Spans    int    `json:"spans"`
	Bytes    int64  `json:"bytes"` // of the notes' text
	Seed     uint64 `json:"seed"`
}

// Write prints the report as text.
func (r Report) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d notes of %d invented patients, %d labelled spans\n", r.Out, r.Notes, r.Patients, r.Spans)
}

// Write generates notes until ctx ends. It calls step with the number of patients so far,
// unless step is nil.
func Write(ctx context.Context, o Options, stdout io.Writer, step func(patients int)) (Report, error) {
	r := Report{Out: o.Out, Format: o.Format, Patients: o.Patients, Seed: o.Seed}
	err := writeTruth(o.Truth, func(add adder) error {
		return o.write(stdout, r.counted(ctx, o.Options, step, add))
	})
	return r, err
}

// counted streams the notes and counts them.
func (r *Report) counted(ctx context.Context, o hospital.Options, step func(patients int), add adder) iter.Seq2[annotate.Annotated, error] {
	return func(yield func(annotate.Annotated, error) bool) {
		patients, last := 0, ""
		for n := range hospital.Notes(o) {
			d := n.Annotated
			if err := errors.Join(ctx.Err(), add(d.Name, d.Patient, n.Person)); err != nil {
				yield(d, err)
				return
			}
			if n.Person != last {
				last = n.Person
				patients++
				if step != nil {
					step(patients)
				}
			}
			r.Notes++
			r.Spans += len(d.Spans)
			r.Bytes += int64(len(d.Text))
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (o Options) write(stdout io.Writer, docs iter.Seq2[annotate.Annotated, error]) error {
	write := func(w io.Writer) error { return format.WriteJSONL(w, docs) }
	switch o.Format {
	case "text":
		return writeFolder(o.Out, docs)
	case "csv":
		write = func(w io.Writer) error { return format.WriteCSV(w, columns(), docs) }
	}
	if o.Out == "" {
		return write(stdout)
	}
	_, err := outfile.Write(o.Out, write)
	return err
}

// columns are the attributes of every generated note.
func columns() []string {
	for d := range hospital.Generate(hospital.Options{Patients: 1}) {
		return slices.Sorted(maps.Keys(d.Attributes))
	}
	return nil
}

// writeFolder writes one file per note into a folder that must not exist yet.
func writeFolder(dir string, docs iter.Seq2[annotate.Annotated, error]) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for d, err := range docs {
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, d.Name+".txt"), []byte(d.Text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
