// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"hide/internal/publish"
)

func list(ctx context.Context, pattern string) ([]string, error) {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	slices.Sort(names)
	return names, err
}

func read(ctx context.Context, name string) ([]byte, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return filesystem.Read(ctx, fs, name)
}

func readBundle(ctx context.Context, name, want string) (*publish.Bundle, error) {
	text, err := read(ctx, name)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(text); hex.EncodeToString(got[:]) != want {
		return nil, fmt.Errorf("%s: another bundle", name)
	}
	return publish.Decode(bytes.NewReader(text))
}

func isLocal(name string) bool { return !strings.Contains(name, "://") }

func stage(out string) string {
	id := ".part-" + rand.Text()
	if isLocal(out) {
		return path.Join(path.Dir(out), "."+path.Base(out)+id)
	}
	return out + id
}

func open(ctx context.Context, name string) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return fs.OpenRead(ctx, name)
}

func write(ctx context.Context, name string, fill func(io.Writer) error) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	w, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(fill(w), w.Close())
}

func (j *Job) publish(ctx context.Context, results []Result) error {
	fs, err := filesystem.New(ctx, j.Out)
	if err != nil {
		return err
	}
	defer fs.Close()
	dir := j.Out
	if isLocal(dir) {
		dir = j.Stage
	}
	for _, r := range results {
		if err := filesystem.Rename(ctx, fs, j.Stage+"/"+r.Try, dir+"/"+j.name(r.Number)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(results)
	if err != nil {
		return err
	}
	if err := filesystem.Write(ctx, fs, dir+"/"+"manifest.json", text); err != nil {
		return err
	}
	if dir != j.Out {
		return filesystem.Rename(ctx, fs, dir, j.Out)
	}
	return nil
}
