// SPDX-License-Identifier: Apache-2.0

package main

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
	"hide/internal/lab/splitkeys"
	"hide/internal/meter"
	"hide/internal/outfile"
)

// generateResult is the output of hide generate when the notes go to a file.
type generateResult struct {
	Out      string `json:"out"`
	Format   string `json:"format"`
	Patients int    `json:"patients"`
	Notes    int    `json:"notes"`
	Spans    int    `json:"spans"`
	Bytes    int64  `json:"bytes"` // of the notes' text
	Seed     uint64 `json:"seed"`
}

func runGenerate(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	var o hospital.Options
	f.IntVar(&o.Patients, "patients", 100, "invent `N` patients, each with two to five notes")
	f.Uint64Var(&o.Seed, "seed", 1, "`NUMBER` that determines the notes: same seed, same notes")
	f.StringVar(&o.Institution, "institution", "", "`NAME` of the institution, a or b; without it, both in turn")
	f.Float64Var(&o.Split, "split", 0, "`SHARE` of patients, from 0 to 1, whose notes are under two or three keys, with errors in the later ones")
	f.BoolVar(&o.Identities, "identities", false, "also write, for each note, what the messages of a hospital say of the people in it; only jsonl holds it")
	kind := f.String("format", "jsonl", "`FORMAT` to write: jsonl with spans, text (a folder of files) or csv")
	truth := f.String("truth", "", "CSV `FILE` to write the key of each note and the person that it is about to: columns note, key, person")
	out := f.String("out", "", "`PATH` to write to instead of standard output, in place of any file that is there; for text, a new folder")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return e.usage("%v", err)
	}
	if !slices.Contains([]string{"jsonl", "text", "csv"}, *kind) {
		return e.usage("unknown format %q; choose jsonl, text or csv", *kind)
	}
	if o.Identities && *kind != "jsonl" {
		return e.usage("only the format jsonl holds identities")
	}
	if *out == "" && (e.json || *kind == "text") {
		return e.usage("--out is missing: without it only jsonl and csv can be written, and no summary")
	}
	return e.generate(ctx, o, *truth, generateResult{Out: *out, Format: *kind, Patients: o.Patients, Seed: o.Seed})
}

func (e *env) generate(ctx context.Context, o hospital.Options, truth string, r generateResult) error {
	p := e.progress("inventing patients")
	err := splitkeys.WriteTruth(truth, func(add splitkeys.Adder) error {
		return e.writeInvented(invented(ctx, o, p, add, &r), r.Format, r.Out)
	})
	p.End()
	if err != nil {
		return fmt.Errorf("generate notes: %w", err)
	}
	if r.Out == "" {
		return nil
	}
	return e.result(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d notes of %d invented patients, %d labelled spans\n", r.Out, r.Notes, r.Patients, r.Spans)
	})
}

// invented streams the notes and counts them in r, until ctx ends. add gets the key and the person of each note.
func invented(ctx context.Context, o hospital.Options, p *meter.Line, add splitkeys.Adder, r *generateResult) iter.Seq2[annotate.Annotated, error] {
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
				p.Step(patients, o.Patients, "")
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

func (e *env) writeInvented(docs iter.Seq2[annotate.Annotated, error], kind, out string) error {
	write := func(w io.Writer) error { return format.WriteJSONL(w, docs) }
	switch kind {
	case "text":
		return writeFolder(out, docs)
	case "csv":
		write = func(w io.Writer) error { return format.WriteCSV(w, tableColumns(), docs) }
	}
	if out == "" {
		return write(e.stdout)
	}
	_, err := outfile.Write(out, write)
	return err
}

// tableColumns are the attributes of every generated note.
func tableColumns() []string {
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
