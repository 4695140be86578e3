// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"hide/internal/publish/release"
)

// lieAboutK copies the release of a table with k = 5 in its manifest and sums to
// match.
func lieAboutK(from, to string) error {
	var files []release.Content
	for _, name := range []string{"table.csv", "report.json", "report.txt"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		files = append(files, release.Bytes(name, text))
	}
	text, err := os.ReadFile(filepath.Join(from, "manifest.json"))
	if err != nil {
		return err
	}
	var m release.Manifest
	var claims json.RawMessage
	m.Claims = &claims
	if err := json.Unmarshal(bytes.Replace(text, []byte(`"k": 2`), []byte(`"k": 5`), 1), &m); err != nil {
		return err
	}
	_, err = release.Write(context.Background(), to, m, files, nil)
	return err
}
