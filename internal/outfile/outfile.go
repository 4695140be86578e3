// SPDX-License-Identifier: Apache-2.0

// Package outfile writes the file that a command was asked for.
package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write writes a file that appears whole or not at all, readable by its
// owner only, and returns its size. An empty name writes nothing.
func Write(name string, fill func(io.Writer) error) (int64, error) {
	if name == "" {
		return 0, nil
	}
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
