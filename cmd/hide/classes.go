// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"

	"hide/internal/corpus"
	"hide/internal/crf/classes"
	"hide/internal/lab/wordclasses"
	"hide/internal/outfile"
)

func runClassesLearn(ctx context.Context, e *env, args []string) error {
	var o classes.Options
	f := e.flags()
	in := f.String("in", "", "`PATH` of notes, annotated or not: any format that hide import reads")
	out := f.String("out", "", "`FILE` to write the table to, replacing an existing one; it contains words of the notes")
	f.IntVar(&o.Classes, "number", 0, "make at most `K` classes; without it one for 16 words, up to 512")
	f.IntVar(&o.MinCount, "min-count", 0, "words that occur fewer than `N` times have no class; without it 2, and 1 more for every million words up to 10")
	f.Uint64Var(&o.Seed, "seed", 1, "`SEED` of the first vectors and centres")
	if _, err := e.parse(f, args, 0, 0, "in", "out"); err != nil {
		return err
	}
	if o.Classes < 0 || o.Classes == 1 || o.Classes > classes.MaxClasses || o.MinCount < 0 {
		return e.usage("--number must be from 2 to %d, and --min-count at least 1, or 0 for the default", classes.MaxClasses)
	}
	if err := outfile.CheckWritable(*out); err != nil {
		return err
	}
	line := e.progress("learning word classes")
	t, summary, err := wordclasses.Learn(ctx, *in, o, func(done float64) { line.Step(int(100*done), 100, "") })
	line.End()
	if err != nil {
		return err
	}
	if _, err := outfile.Write(*out, func(w io.Writer) error { _, err := w.Write(t.Append(nil)); return err }); err != nil {
		return err
	}
	return e.result(summary, summary.Write)
}

func runClassesShow(_ context.Context, e *env, args []string) error {
	f := e.flags()
	word := f.String("word", "", "show the class of `WORD`")
	list := f.Bool("show-text", false, "with --word, list the words of the class; those of a learnt table are words of notes")
	rest, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	t, err := corpus.ClassTable(rest[0])
	if err != nil {
		return err
	}
	if *word == "" {
		if err := e.refuseUnused(f, "without --word", "show-text"); err != nil {
			return err
		}
		s := wordclasses.Summarize(t)
		return e.result(s, s.Write)
	}
	c, known := wordclasses.Of(t, *word, *list)
	if !known {
		return errors.New("the table has no class for this word")
	}
	return e.result(c, c.Write)
}
