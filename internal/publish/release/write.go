// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Names of the files that every release has.
const (
	manifestFile = "manifest.json"
	sumsFile     = "SHA256SUMS"
)

// Content is a file to be written.
type Content struct {
	Name  string
	Write func(io.Writer) error
}

// Bytes is a file with this content.
func Bytes(name string, content []byte) Content {
	return Content{name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}}
}

// JSON is a file that holds v, indented.
func JSON(name string, v any) Content {
	return Content{name, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}}
}

// Write writes a release folder, which must not exist yet and appears whole or not
// at all. check sees all files before the folder appears, and an error from it
// stops everything; it may be nil. The sum returned is that of manifest.json: with it a
// forged release can be recognized later.
func Write(ctx context.Context, dir string, m Manifest, contents []Content, check func(fs.FS) error) (sum string, err error) {
	f, err := Create(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	for _, c := range contents {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := f.Add(c.Name, c.Write); err != nil {
			return "", err
		}
	}
	return f.Finish(ctx, m, check)
}

// Finish writes the manifest of all files and SHA256SUMS and moves the folder into
// its place. See [Write].
func (f *Folder) Finish(ctx context.Context, m Manifest, check func(fs.FS) error) (sum string, err error) {
	slices.SortFunc(f.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	text, err := m.encode(slices.Clip(f.files))
	if err != nil {
		return "", err
	}
	if err := f.Add(manifestFile, Bytes("", text).Write); err != nil {
		return "", err
	}
	sum = f.files[len(f.files)-1].SHA256
	if err := f.Add(sumsFile, Bytes("", sumsOf(f.files)).Write); err != nil {
		return "", err
	}
	if check != nil {
		err := check(Until(ctx, f.root.FS()))
		if err := errors.Join(ctx.Err(), err); err != nil {
			return "", err
		}
	}
	return sum, f.commit(ctx)
}

// sumsOf lists the files as sha256sum does, so that anybody can check them.
func sumsOf(files []File) []byte {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&b, "%s  %s\n", f.SHA256, f.Path)
	}
	return b.Bytes()
}
