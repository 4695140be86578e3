// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

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
