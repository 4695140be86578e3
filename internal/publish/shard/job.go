// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"hide/internal/hint"
	"hide/internal/outfile"
	"hide/internal/publish"
	"hide/internal/publish/stream"
)

// Job is one shard to be redacted.
type Job struct {
	Bundle  *publish.Bundle
	Version string // of the program
	Options stream.Options
	People  string // SHA-256 of the file of Options.People; "" without one
	Files   []File // the whole input, see [Find]
	Number
	Dir   string // gets the files of the shard
	Again bool   // redact the shard even if it is done, and replace its files
	Now   func() time.Time
	// Storage has the input and gets the files. Do works with [System] alone, which nil means.
	Storage Storage
}

// Do redacts the shard, unless it is done: then done is true, and its files are those that
// this job would write. It refuses a shard that was done otherwise.
func (j *Job) Do(ctx context.Context) (m *Manifest, done bool, err error) {
	if m, err = j.plan(ctx); err != nil {
		return nil, false, err
	}
	if !j.Again {
		if before, err := j.done(ctx, m); before != nil || err != nil {
			return before, before != nil, err
		}
	} else if err := os.Remove(filepath.Join(j.Dir, m.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err // no manifest may stand beside another output
	}
	if err := j.redact(ctx, m); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, false, err
		}
		// Another process may have redacted the same shard, and swept what this one wrote.
		if before, _ := j.done(ctx, m); before != nil {
			return before, true, nil
		}
		return nil, false, err
	}
	return m, false, j.sweep(m)
}

// done is the manifest of a shard that is done as planned, nil without one.
func (j *Job) done(ctx context.Context, plan *Manifest) (*Manifest, error) {
	before, err := j.before()
	if before == nil || err != nil {
		return nil, err
	}
	if err := j.same(ctx, plan, before); err != nil {
		return nil, err
	}
	return before, j.sweep(plan)
}

// Redact redacts the shard into a folder where it is not done, and where nobody else works.
func (j *Job) Redact(ctx context.Context) (*Manifest, error) {
	m, err := j.plan(ctx)
	if err != nil {
		return nil, err
	}
	return m, j.redact(ctx, m)
}

func (j *Job) storage() Storage {
	if j.Storage == nil {
		return System{}
	}
	return j.Storage
}

// plan is the manifest without what is known after the work.
func (j *Job) plan(ctx context.Context) (*Manifest, error) {
	o := j.Options
	if o.Format == stream.FHIR && o.Key == nil {
		return nil, hint.Add(errors.New("shards of FHIR need a key: without one the pseudonyms of each process are its own"), "give the same --key FILE to all shards")
	}
	if err := j.apart(); err != nil {
		return nil, err
	}
	sum, err := j.Bundle.SHA256()
	if err != nil {
		return nil, err
	}
	snap := func(name string, at int64) (int64, error) { return snapIn(ctx, j.storage(), name, at) }
	if o.Format != stream.JSONL {
		snap = nil
	}
	ranges, err := Cut(j.Files, j.Number, snap)
	if err != nil {
		return nil, err
	}
	m := &Manifest{Schema: Schema, Input: Identify(j.Files), Shard: j.Shard, Of: j.Of, Read: Part{Ranges: ranges}, Settings: Settings{
		Version: j.Version, Bundle: sum, Placeholder: j.Bundle.Policy.Placeholder, Labels: j.Bundle.Policy.Labels,
		Format: o.Format, Encoding: o.Encoding, Keep: o.Keep, People: j.People, Key: Fingerprint(o.Key), Skip: o.Skip,
	}}
	for _, r := range ranges {
		m.Read.Bytes += r.To - r.From
	}
	return m, nil
}

// apart refuses an output among the input: the pattern of the next shard would find it there.
func (j *Job) apart() error {
	out, err := filepath.Abs(j.Dir)
	if err != nil {
		return err
	}
	for _, f := range j.Files {
		in, err := filepath.Abs(filepath.FromSlash(f.Path))
		if err != nil {
			return err
		}
		if filepath.Dir(in) == out {
			return hint.Add(fmt.Errorf("%s is in the folder for the output", f.Path), "choose another folder with --out")
		}
	}
	return nil
}

// before is the manifest in the folder, nil without one.
func (j *Job) before() (*Manifest, error) {
	name := filepath.Join(j.Dir, Name(j.Shard, j.Of)+manifestExtension)
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return ReadManifest(name)
}

// same reports how a finished shard differs from the planned one. It reads the input and the
// output of the shard once.
func (j *Job) same(ctx context.Context, plan, is *Manifest) error {
	name := filepath.Join(j.Dir, plan.Name())
	differs := func(what string) error {
		return hint.Add(fmt.Errorf("%s is of %s", name, what), "redact the shard again with --again, or choose another folder with --out")
	}
	if what := plan.misfit(is); what != "" {
		return differs(what)
	}
	if is.Shard != plan.Shard || !reflect.DeepEqual(is.Read.Ranges, plan.Read.Ranges) {
		return differs("another cut of the input")
	}
	in := sha256.New()
	for _, p := range j.pieces(ctx, is.Read.Ranges, in) {
		if err := readAll(ctx, p); err != nil {
			return err
		}
	}
	if hexOf(in) != is.Read.SHA256 {
		return differs("an input with other content")
	}
	return errors.Join(is.checkFile(ctx, j.Dir, is.Output, io.Discard), is.checkErrors(ctx, j.Dir))
}

func readAll(ctx context.Context, p stream.Piece) error {
	f, err := p.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, stopping{ctx, f})
	return errors.Join(err, f.Close())
}

// stopping reads until ctx ends.
type stopping struct {
	ctx context.Context
	io.Reader
}

func (s stopping) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}

// checkErrors compares the file of errors with the manifest: one line for each record that was
// left out.
func (m *Manifest) checkErrors(ctx context.Context, dir string) error {
	if m.Errors == nil {
		return nil
	}
	lines := &lineCount{}
	if err := m.checkFile(ctx, dir, *m.Errors, lines); err != nil {
		return err
	}
	if lines.n != m.Counts.Refused {
		return hint.Add(fmt.Errorf("%s has %d lines, the manifest of shard %d claims %d", filepath.Join(dir, m.Errors.Path), lines.n, m.Shard, m.Counts.Refused), "redact the shard again with --again")
	}
	return nil
}

// lineCount counts the lines that are written to it.
type lineCount struct{ n int }

func (c *lineCount) Write(p []byte) (int, error) {
	c.n += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

// checkFile compares a file of the shard with the manifest, and copies it to w.
func (m *Manifest) checkFile(ctx context.Context, dir string, f File, w io.Writer) error {
	name := filepath.Join(dir, f.Path)
	got, err := os.Open(name)
	if err != nil {
		return hint.Add(fmt.Errorf("the output of shard %d: read %s: %w", m.Shard, name, outfile.Cause(err)), "redact the shard again with --again")
	}
	defer got.Close() // only read
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(sum, w), stopping{ctx, got})
	if err != nil {
		return fmt.Errorf("copy %s: %w", name, outfile.Cause(err))
	}
	if n != f.Bytes || hexOf(sum) != f.SHA256 {
		return m.damaged(name)
	}
	return nil
}

func (m *Manifest) damaged(name string) error {
	return hint.Add(fmt.Errorf("%s is not what shard %d of %d wrote: it was damaged or changed", name, m.Shard, m.Of), "redact the shard again with --again")
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
