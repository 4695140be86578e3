// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"hide/internal/lab/bench"
	"hide/internal/outfile"
	"hide/internal/publish/link/linkfile"
)

func runLink(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	in := f.String("in", "", "CSV `FILE` with a header and one record per row")
	with := f.String("with", "", "link the records with those of this second CSV `FILE`; records of one file are then not compared with each other")
	config := f.String("config", "", "YAML `FILE` with columns, rules and thresholds, see docs/linkage.md; without it the columns are recognised")
	write := f.String("write-config", "", "only write the recognised configuration to `FILE`, to edit")
	truth := f.String("truth", "", "the `COLUMN` that says whose record it is: print precision, recall and F1; it is never compared")
	out := f.String("out", "", "then write the rows with the number of their cluster to `FILE`")
	inProject := e.linkProjectFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if inProject.project != "" {
		if err := cmp.Or(e.refuseUnused(f, "with --project", "in", "with", "config", "write-config", "truth", "out"), inProject.check(e, f)); err != nil {
			return err
		}
		return e.linkProject(ctx, inProject)
	}
	if err := cmp.Or(e.required(f, "in"), e.refuseUnused(f, "without --project", projectLinkFlags...)); err != nil {
		return err
	}
	if *write != "" {
		if err := e.refuseUnused(f, "with --write-config", "config", "out"); err != nil {
			return err
		}
	}
	files := []linkfile.File{csvFile(*in)}
	if *with != "" {
		files = append(files, csvFile(*with))
	}
	o := linkfile.Options{Truth: *truth, Workers: runtime.GOMAXPROCS(0)}
	if *write != "" {
		return e.writeLinkConfig(ctx, files, o, *write)
	}
	if *config != "" {
		c, err := readLinkConfig(*config)
		if err != nil {
			return err
		}
		o.Config = &c
	}
	if err := outfile.CheckWritable(*out); err != nil {
		return err
	}
	return e.link(ctx, files, o, *out)
}

func csvFile(name string) linkfile.File {
	return linkfile.File{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }}
}

func readLinkConfig(name string) (linkfile.Config, error) {
	f, err := os.Open(name)
	if err != nil {
		return linkfile.Config{}, err
	}
	defer f.Close() // only read
	c, err := linkfile.ReadConfig(f)
	return c, hinted(name, err)
}

func (e *env) writeLinkConfig(ctx context.Context, files []linkfile.File, o linkfile.Options, name string) error {
	c, err := linkfile.Recognise(ctx, files, o)
	if err != nil {
		return err
	}
	if _, err := outfile.Write(name, c.Write); err != nil {
		return err
	}
	return e.result(map[string]any{"config": name, "columns": c.Columns}, func(w io.Writer) {
		fmt.Fprintf(w, "%s: edit it, then give it to hide link --config\n", name)
	})
}

func (e *env) link(ctx context.Context, files []linkfile.File, o linkfile.Options, out string) error {
	began := time.Now()
	line := e.progress("comparing records")
	o.Progress = func(done, total int) { line.Step(done, total, "") }
	linked, err := linkfile.Link(ctx, files, o)
	line.End()
	if err != nil {
		return err
	}
	if _, err := outfile.Write(out, func(w io.Writer) error { return linked.WriteRows(ctx, w) }); err != nil {
		return err
	}
	linked.Seconds, linked.PeakMiB = time.Since(began).Seconds(), bench.PeakMiB()
	return e.result(&linked.Report, linked.Report.Write)
}
