// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/caller"
	"hide/internal/outfile"
	"hide/internal/publish/rewrite"
	"hide/internal/publish/surrogate"
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
	replaces := flags.String("policy", "", "replace the identifiers by this `POLICY`, a name or a file; see hide policy")
	locale := flags.String("locale", "", "`language` of invented values: en, es, fr or de")
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
	if err := outfile.CheckNew(*out); err != nil {
		return err
	}
	files, closeFiles, err := read.files(e.files(), in)
	if err != nil {
		return err
	}
	c.Options = read.options()
	o, err := rewriting(*replaces, *locale)
	if err != nil {
		return errors.Join(err, closeFiles())
	}
	return errors.Join(e.convert(ctx, c, m, o, files, *out), closeFiles())
}

// rewriting is the policy by which a conversion replaces identifiers, nil without one. Its key
// is used once and kept nowhere.
func rewriting(name, locale string) (*rewrite.Options, error) {
	if name == "" {
		return nil, nil
	}
	p, err := policyNamed(caller.Here{}, name)
	if err != nil {
		return nil, err
	}
	key, err := surrogate.NewKey(rand.Reader)
	return &rewrite.Options{Policy: p, Key: key, Locale: surrogate.Locale(locale)}, err
}

func (e *env) convert(ctx context.Context, c format.Conversion, m *labels.Mapping, o *rewrite.Options, files []format.File, out string) error {
	changed, rewritten := labels.Changed{}, &rewrite.Report{}
	var replace func(iter.Seq2[annotate.Annotated, error]) iter.Seq2[annotate.Annotated, error]
	if o != nil {
		replace = rewrite.Stream(ctx, *o, rewritten)
	}
	c.Map = func(docs iter.Seq2[annotate.Annotated, error]) iter.Seq2[annotate.Annotated, error] {
		if m != nil {
			docs = m.Documents(docs, changed)
		}
		if replace != nil {
			docs = replace(docs)
		}
		return docs
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
		To       string          `json:"to"`
		Lost     []string        `json:"lost"`
		Replaced *rewrite.Report `json:"replaced,omitzero"`
	}{report, c.To, append([]string{}, lost...), nil}
	if o != nil {
		v.Replaced = rewritten
	}
	return e.result(v, func(w io.Writer) {
		fmt.Fprintf(w, "converted %s with %s to %s\n", words.Count(report.Documents, "note", "notes"), words.Count(report.Spans, "span", "spans"), c.To)
		report.Write(w)
		if o != nil {
			rewritten.Write(w)
		}
	})
}
