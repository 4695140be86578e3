// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/words"
)

// runFormats prints which formats can be read and written.
func runFormats(_ context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags(), args, 0, 0); err != nil {
		return err
	}
	v := map[string]any{"formats": format.Formats(), "encodings": format.Encodings()}
	return e.result(v, func(w io.Writer) { _ = format.WriteMatrix(w) }) // as all output to a terminal
}

// runConvert reads the files twice: first it names what the new file will not hold, then it
// writes.
func runConvert(ctx context.Context, e *env, args []string) error {
	var (
		c    format.Conversion
		read fileFlags
		in   []string
	)
	flags := e.flags()
	flags.Func("in", "`PATH` of a file or folder to read; may be given again", func(path string) error {
		in = append(in, path)
		return nil
	})
	out := flags.String("out", "", "`FILE` to write, which must not exist")
	flags.StringVar(&c.To, "to", "", "`format` to write, see hide formats")
	read.declare(flags, "from")
	mapped := flags.String("map", "", mapUsage)
	more, err := e.parse(flags, args, 0, 1<<20, "out", "to")
	if err != nil {
		return err
	}
	in = append(in, more...)
	if err := read.checkQuery(e, in, "--in is missing"); err != nil {
		return err
	}
	m, err := e.mapping(*mapped)
	if err != nil {
		return err
	}
	if err := checkNew(*out); err != nil {
		return err
	}
	files, closeFiles, err := read.files(in)
	if err != nil {
		return err
	}
	c.Options = read.options()
	return errors.Join(e.convert(ctx, c, m, files, *out), closeFiles())
}

func (e *env) convert(ctx context.Context, c format.Conversion, m *labels.Mapping, files []format.File, out string) error {
	changed := labels.Changed{}
	if m != nil {
		c.Map = func(docs iter.Seq2[annotate.Annotated, error]) iter.Seq2[annotate.Annotated, error] {
			return m.Documents(docs, changed)
		}
	}
	lost, report, err := c.Losses(ctx, files)
	if err != nil {
		return err
	}
	if report.Documents == 0 {
		report.Write(e.stderr) // why: answers that are left out, files that cannot be read
		return withHint(errors.New("the files hold no notes"), "name files with notes, or correct what is refused or left out")
	}
	lost = append(changed.Lines(), lost...)
	e.sayLost(lost)
	if err := e.writeTo(out, func(w io.Writer) error { _, err := c.Write(ctx, files, w); return err }); err != nil {
		return err
	}
	v := struct {
		format.Report
		To   string   `json:"to"`
		Lost []string `json:"lost"`
	}{report, c.To, append([]string{}, lost...)}
	return e.result(v, func(w io.Writer) {
		fmt.Fprintf(w, "converted %s with %s to %s\n", words.Count(report.Documents, "note", "notes"), words.Count(report.Spans, "span", "spans"), c.To)
		report.Write(w)
	})
}
