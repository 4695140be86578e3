// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"hide/internal/publish/shard"
)

// with calls fn with the file system of a file.
func with(ctx context.Context, name string, fn func(filesystem.Interface) error) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(fn(fs), fs.Close())
}

func list(ctx context.Context, pattern string) (names []string, err error) {
	return names, with(ctx, pattern, func(fs filesystem.Interface) (err error) {
		names, err = fs.List(ctx, pattern)
		return err
	})
}

func sizeOf(ctx context.Context, name string) (n int64, err error) {
	return n, with(ctx, name, func(fs filesystem.Interface) (err error) {
		n, err = fs.Size(ctx, name)
		return err
	})
}

func readWhole(ctx context.Context, name string) (text []byte, err error) {
	return text, with(ctx, name, func(fs filesystem.Interface) (err error) {
		text, err = filesystem.Read(ctx, fs, name)
		return err
	})
}

// write writes a file, and says what is in it. What fails leaves nothing of a local file, and
// no object in a store.
func write(ctx context.Context, name string, fill func(io.Writer) error) (f shard.File, err error) {
	return f, with(ctx, name, func(fs filesystem.Interface) error {
		stop, cancel := context.WithCancel(ctx)
		defer cancel()
		w, err := fs.OpenWrite(stop, name)
		if err != nil {
			return err
		}
		sum := newSummed()
		if err := fill(io.MultiWriter(w, sum)); err != nil {
			cancel() // an object appears when it is closed, if nothing has cancelled it
			_ = w.Close()
			if remover, ok := fs.(filesystem.Remover); ok {
				_ = remover.Remove(ctx, name)
			}
			return err
		}
		if file, ok := w.(interface{ Sync() error }); ok {
			err = file.Sync()
		}
		f = shard.File{Bytes: sum.bytes, SHA256: sum.hex()}
		return errors.Join(err, w.Close())
	})
}

// move gives a file another name. It accepts that it has done so before.
func move(ctx context.Context, from, to string, bytes int64) error {
	return with(ctx, to, func(fs filesystem.Interface) error {
		err := filesystem.Rename(ctx, fs, from, to)
		if err == nil {
			return nil
		}
		if n, failed := fs.Size(ctx, to); failed == nil && n == bytes {
			return nil
		}
		return err
	})
}

// removeAll removes the files that match a pattern.
func removeAll(ctx context.Context, pattern string) error {
	return with(ctx, pattern, func(fs filesystem.Interface) error {
		names, err := fs.List(ctx, pattern)
		remover, ok := fs.(filesystem.Remover)
		for i := 0; ok && err == nil && i < len(names); i++ {
			err = remover.Remove(ctx, names[i])
		}
		return err
	})
}

// summed counts and hashes what is written to it.
type summed struct {
	hash.Hash
	bytes int64
}

func newSummed() *summed { return &summed{Hash: sha256.New()} }

func (s *summed) Write(p []byte) (int, error) {
	s.bytes += int64(len(p))
	return s.Hash.Write(p)
}

func (s *summed) hex() string { return hex.EncodeToString(s.Sum(nil)) }

// part is an open range of a file.
type part struct {
	io.Reader
	close func() error
}

func (p *part) Close() error { return p.close() }

// open opens a range of a file. What is read of it is also written to sum.
func open(ctx context.Context, r shard.Range, sum io.Writer) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, r.File)
	if err != nil {
		return nil, err
	}
	in, err := fs.OpenRead(ctx, r.File)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	p := &part{io.TeeReader(io.LimitReader(in, r.To-r.From), sum), func() error { return errors.Join(in.Close(), fs.Close()) }}
	if r.From > 0 {
		seeker, ok := in.(io.Seeker)
		if !ok {
			return nil, errors.Join(fmt.Errorf("%s cannot be read from its byte %d", r.File, r.From), p.Close())
		}
		if _, err := seeker.Seek(r.From, io.SeekStart); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}
