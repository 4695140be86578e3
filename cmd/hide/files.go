// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// checkWritable refuses a path to which no file can be written when the work is done: the
// folder must exist and be writable, and the path must not be a folder. "" is accepted.
func checkWritable(path string) error {
	if path == "" {
		return nil
	}
	if at, err := os.Stat(path); err == nil && at.IsDir() {
		return withHint(fmt.Errorf("%s is a folder", path), "give the name of a file in it")
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".hide-*")
	if err != nil {
		return withHint(fmt.Errorf("%s cannot be written: %w", path, fileCause(err)), "its folder must exist and be yours to write to")
	}
	return errors.Join(temp.Close(), os.Remove(temp.Name()))
}

// writeFile writes a file that appears whole or not at all, readable by its
// owner only, and returns its size.
func writeFile(name string, fill func(io.Writer) error) (int64, error) {
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".part-*")
	if err != nil {
		return 0, err
	}
	size, err := fillAndSync(temp, fill)
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return 0, errors.Join(err, os.Remove(temp.Name()))
	}
	return size, nil
}

func fillAndSync(f *os.File, fill func(io.Writer) error) (int64, error) {
	err := fill(f)
	size, seekErr := f.Seek(0, io.SeekCurrent)
	return size, errors.Join(err, seekErr, f.Sync(), f.Close())
}

// result prints what a command found: v as one JSON object when --json was
// given, else what text writes.
func (e *env) result(v any, text func(w io.Writer)) error {
	if !e.json {
		text(e.stdout)
		return nil
	}
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
