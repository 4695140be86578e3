// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hide/internal/hint"
	"hide/internal/outfile"
)

// Storage is where a job reads its input and writes its files. Names have slashes.
type Storage interface {
	// Size is the size of a file in bytes.
	Size(ctx context.Context, name string) (int64, error)
	// Open opens a file at a byte. A storage that reads files from their start only answers
	// with [errors.ErrUnsupported] for other bytes. Its files are cut between files only.
	Open(ctx context.Context, name string, at int64) (io.ReadCloser, error)
	// Write writes a file, which appears whole or not at all, and returns its size.
	Write(ctx context.Context, name string, fill func(io.Writer) error) (int64, error)
}

// System is the file system of this machine.
type System struct{}

// Size refuses what is not a file.
func (System) Size(_ context.Context, name string) (int64, error) {
	info, err := os.Stat(filepath.FromSlash(name))
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", name, outfile.Cause(err))
	}
	if !info.Mode().IsRegular() {
		return 0, hint.Add(fmt.Errorf("%s is not a file", name), "name the files in a folder by a pattern: folder/*.jsonl")
	}
	return info.Size(), nil
}

func (System) Open(_ context.Context, name string, at int64) (io.ReadCloser, error) {
	f, err := os.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, outfile.Cause(err))
	}
	if _, err := f.Seek(at, io.SeekStart); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", name, outfile.Cause(err)), f.Close())
	}
	return f, nil
}

// Write also makes the folder of the file.
func (System) Write(_ context.Context, name string, fill func(io.Writer) error) (int64, error) {
	name = filepath.FromSlash(name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return 0, fmt.Errorf("make folder %s: %w", filepath.Dir(name), outfile.Cause(err))
	}
	return outfile.Write(name, fill)
}
