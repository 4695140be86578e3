// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

func runExport(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` to export, by id or name")
	kind := flags.String("format", "jsonl", "`format`: jsonl, or brat (a zip)")
	out := flags.String("out", "", "`file` to write, which must not exist (default: standard output)")
	if _, err := e.parse(flags, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(flags, "project"); err != nil {
		return err
	}
	if err := checkNew(*out); err != nil {
		return err
	}
	return d.withFolder(false, func(f *folder) error {
		p, err := f.projects.Find(ctx, operator(), *name)
		if err != nil {
			return err
		}
		return e.writeTo(*out, func(w io.Writer) error { return f.projects.Export(ctx, operator(), p.ID, *kind, w) })
	})
}

// free refuses a path that is taken, or that nothing can be written to, before
// anything is done.
func checkNew(path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return withHint(fmt.Errorf("%s exists already", path), "choose another name, or remove it first")
	}
	return checkWritable(path)
}

// writeTo writes to a new file, or to standard output when path is empty. A file
// that was not written whole is removed.
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
