// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"hide/internal/hospital/invented"
)

func runGenerate(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	var o invented.Options
	f.IntVar(&o.Patients, "patients", 100, "invent `N` patients, each with two to five notes")
	f.Uint64Var(&o.Seed, "seed", 1, "`NUMBER` that determines the notes: same seed, same notes")
	f.StringVar(&o.Institution, "institution", "", "`NAME` of the institution, a or b; without it, both in turn")
	f.Float64Var(&o.Split, "split", 0, "`SHARE` of patients, from 0 to 1, whose notes are under two or three keys, with errors in the later ones")
	f.BoolVar(&o.Identities, "identities", false, "also write, for each note, what the messages of a hospital say of the people in it; only jsonl holds it")
	f.StringVar(&o.Format, "format", "jsonl", "`FORMAT` to write: jsonl with spans, text (a folder of files) or csv")
	f.StringVar(&o.Truth, "truth", "", "CSV `FILE` to write the key of each note and the person that it is about to: columns note, key, person")
	f.StringVar(&o.Out, "out", "", "`PATH` to write to instead of standard output, in place of any file that is there; for text, a new folder")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return e.usage("%v", err)
	}
	if o.Out == "" && (e.json || o.Format == "text") {
		return e.usage("--out is missing: without it only jsonl and csv can be written, and no summary")
	}
	p := e.progress("inventing patients")
	r, err := invented.Write(ctx, o, e.stdout, func(patients int) { p.Step(patients, o.Patients, "") })
	p.End()
	if err != nil {
		return fmt.Errorf("generate notes: %w", err)
	}
	if o.Out == "" {
		return nil
	}
	return e.result(r, r.Write)
}
