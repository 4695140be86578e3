// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"

	"hide/internal/publish"
)

// lieAboutK copies the release of a table with k = 5 in its manifest and sums to
// match.
func lieAboutK(from, to string) error {
	var files []publish.File
	for _, name := range []string{"table.csv", "report.json", "report.txt"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		files = append(files, publish.File{Name: name, Write: func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}})
	}
	text, err := os.ReadFile(filepath.Join(from, "manifest.json"))
	if err != nil {
		return err
	}
	lie := bytes.Replace(text, []byte(`"k": 2`), []byte(`"k": 5`), 1)
	_, err = publish.WriteFiles(context.Background(), to, files, func([]publish.FileSum) any { return raw(lie) }, nil)
	return err
}

// raw is JSON as it is.
type raw []byte

func (r raw) MarshalJSON() ([]byte, error) { return r, nil }
