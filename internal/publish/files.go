// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// File is one file of a folder that [WriteFiles] writes.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// JSON writes v, indented, as a file's content.
func JSON(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
}

// WriteFiles writes a folder that must not exist yet and appears whole or not at
// all: the files, manifest.json, which is what manifest makes of their sums by
// name, and SHA256SUMS. check sees all of them before the folder appears, and an
// error from it stops everything; it may be nil. The sum returned is that of
// manifest.json.
func WriteFiles(ctx context.Context, dir string, files []File, manifest func([]FileSum) any, check func(fs.FS) error) (sum string, err error) {
	f, err := newFolder(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.abandon()) }()
	sums := make([]FileSum, len(files))
	for i, file := range files {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if sums[i], err = f.write(file.Name, file.Write); err != nil {
			return "", err
		}
	}
	slices.SortFunc(sums, func(a, b FileSum) int { return strings.Compare(a.Path, b.Path) })
	text, err := json.MarshalIndent(manifest(sums), "", "  ")
	if err != nil {
		return "", err
	}
	own, err := f.writeBytes(manifestFile, append(text, '\n'))
	if err != nil {
		return "", err
	}
	if _, err := f.writeBytes(sumsFile, sumsOf(append(sums, own))); err != nil {
		return "", err
	}
	if check != nil {
		err := check(Until(ctx, f.root.FS()))
		if err := errors.Join(ctx.Err(), err); err != nil {
			return "", err
		}
	}
	return own.SHA256, f.commit(ctx)
}
