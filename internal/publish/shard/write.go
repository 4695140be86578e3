// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hide/internal/outfile"
	"hide/internal/publish/stream"
)

// redact writes the files of the shard, the manifest last, and completes the manifest.
func (j *Job) redact(ctx context.Context, m *Manifest) error {
	if err := j.files(ctx, m); err != nil {
		return fmt.Errorf("shard %d of %d: %w", j.Shard, j.Of, err)
	}
	return nil
}

func (j *Job) files(ctx context.Context, m *Manifest) error {
	began := j.Now()
	o, in := j.Options, sha256.New()
	write := func(left io.Writer) (err error) {
		o.Errors = left
		m.Output, err = j.write(ctx, m.OutputName(), func(w io.Writer) error {
			counts, err := stream.Redact(ctx, j.Bundle, j.pieces(ctx, m.Read.Ranges, in), w, o)
			m.Counts = Counts{counts.Notes, counts.Refused, counts.Redactions}
			return err
		})
		return err
	}
	if !o.Skip {
		if err := write(nil); err != nil {
			return err
		}
	} else {
		left, err := j.write(ctx, m.errorsName(), write)
		if err != nil {
			return err
		}
		m.Errors = &left
	}
	m.Read.SHA256 = hexOf(in)
	if err := j.unchanged(ctx, m); err != nil {
		return err
	}
	m.Seconds = j.Now().Sub(began).Seconds()
	_, err := j.write(ctx, m.Name(), m.Write)
	return err
}

// write writes a file of the shard, which appears whole or not at all.
func (j *Job) write(ctx context.Context, name string, fill func(io.Writer) error) (File, error) {
	sum := sha256.New()
	n, err := j.storage().Write(ctx, j.Dir+"/"+name, func(w io.Writer) error { return fill(io.MultiWriter(w, sum)) })
	return File{Path: name, Bytes: n, SHA256: hexOf(sum)}, err
}

// unchanged refuses an input that has other sizes than before.
func (j *Job) unchanged(ctx context.Context, m *Manifest) error {
	for _, r := range m.Read.Ranges {
		if n, err := j.storage().Size(ctx, r.File); err != nil || n != r.Bytes {
			return changed(r.File)
		}
	}
	return nil
}

// ids are the ids of notes as text: the numbers of their files in the whole input.
func (j *Job) ids() map[string]string {
	ids := map[string]string{}
	if j.Options.Format == stream.Text {
		for i, f := range j.Files {
			ids[f.Path] = fmt.Sprintf("%06d", i+1)
		}
	}
	return ids
}

// pieces are the ranges of the input. What is read of them is also written to sum.
func (j *Job) pieces(ctx context.Context, ranges []Range, sum hash.Hash) []stream.Piece {
	pieces, ids := make([]stream.Piece, len(ranges)), j.ids()
	for i, r := range ranges {
		pieces[i] = stream.Piece{Name: r.File, ID: ids[r.File], From: r.From, Open: func() (io.ReadCloser, error) { return j.open(ctx, r, sum) }}
	}
	return pieces
}

// piece is an open range of a file.
type piece struct {
	file io.ReadCloser
	r    Range
	sum  hash.Hash
	left int64
}

func (j *Job) open(ctx context.Context, r Range, sum hash.Hash) (io.ReadCloser, error) {
	f, err := j.storage().Open(ctx, r.File, r.From)
	if err != nil {
		return nil, err
	}
	return &piece{f, r, sum, r.To - r.From}, nil
}

func (p *piece) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n, err := p.file.Read(b[:min(int64(len(b)), p.left)])
	p.sum.Write(b[:n]) // never fails
	p.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF):
		return n, changed(p.r.File)
	case err != nil:
		return n, fmt.Errorf("read %s: %w", p.r.File, outfile.Cause(err))
	}
	return n, nil
}

func (p *piece) Close() error { return p.file.Close() }

// sweep removes what killed processes left of the shard, and what --again left of a shard with
// other settings.
func (j *Job) sweep(m *Manifest) error {
	entries, err := os.ReadDir(j.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !m.leftover(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(j.Dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// leftover reports whether a file is of this shard, and not one that it has when it is done.
func (m *Manifest) leftover(name string) bool {
	for _, own := range []string{m.OutputName(), m.errorsName(), m.Name()} {
		if strings.HasPrefix(name, outfile.Unfinished(own)) {
			return true
		}
	}
	if name == m.errorsName() {
		return !m.Settings.Skip
	}
	for _, ext := range extensions {
		if name == Name(m.Shard, m.Of)+ext {
			return name != m.OutputName()
		}
	}
	return false
}
