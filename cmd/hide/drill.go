// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"strings"

	"hide/internal/outfile"
	"hide/internal/project/drill"
)

// drillFlags are those of hide restore --check.
type drillFlags struct {
	on                    bool
	temp, report, without string
}

func (d *drillFlags) add(f *flag.FlagSet) {
	f.BoolVar(&d.on, "check", false, "restore into a folder that is removed again, verify everything and report; changes nothing and works beside a running server")
	f.StringVar(&d.temp, "temp", "", "with --check: `FOLDER` to restore into; \"\" means beside the data folder")
	f.StringVar(&d.report, "report", "", "with --check: `FILE` to write the report to as text")
	f.StringVar(&d.without, "without-secret", "", "with --check: `IDS` of projects that were destroyed after the backup, with commas")
}

func (d *drillFlags) unused(e *env) error {
	if !d.on && (d.temp != "" || d.report != "" || d.without != "") {
		return e.usage("--temp, --report and --without-secret need --check")
	}
	return outfile.CheckWritable(d.report)
}

// run reports also where problems were found; then the command fails.
func (d *drillFlags) run(ctx context.Context, e *env, data *dataFlags, backup io.Reader) error {
	o := drill.Options{Temp: d.temp, By: operator(ctx), Version: toolVersion()}
	if d.without != "" {
		o.Without = strings.Split(d.without, ",")
	}
	r, err := drill.Run(ctx, backup, data.options(), o)
	if errors.Is(err, fs.ErrNotExist) {
		return withHint(err, "name the key that the backup was made with: --key FILE")
	} else if err != nil {
		return data.explain(err)
	}
	if _, err := outfile.Write(d.report, r.WriteText); err != nil {
		return err
	}
	if err := e.result(r, func(w io.Writer) { err = r.WriteText(w) }); err != nil {
		return err
	}
	if err == nil && !r.OK {
		return errReported
	}
	return err
}
