// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"hide/internal/publish"
	"hide/internal/publish/shard"
	"hide/internal/publish/stream"
)

func init() {
	register.DoFn2x2[context.Context, int, Done, error](&redactFn{})
	register.DoFn3x1[context.Context, int, func(*Done) bool, error](&publishFn{})
	register.Iter1[Done]()
}

// Job is what every worker knows.
type Job struct {
	Bundle     string // its file
	Version    string // of the program
	Files      []shard.File
	Of         int    // shards
	Out, Stage string // the folder of the output, and the folder where it is made
	Workers    int
	Skip       bool
}

// Done names the files of a finished shard, its manifest last.
type Done struct {
	Shard int
	Try   string // the folder of these files, below the stage
	Files []string

	Bundle string // its hash
}

// redactFn is the step that redacts shards.
type redactFn struct {
	Job     Job
	bundle  *publish.Bundle
	storage shard.Storage
}

// Setup reads the bundle, once in each worker.
func (r *redactFn) Setup(ctx context.Context) (err error) {
	if r.bundle, err = readBundle(ctx, r.Job.Bundle); err != nil {
		return err
	}
	if r.storage = (shard.System{}); scheme(r.Job.Out) != "" {
		fs, err := filesystem.New(ctx, r.Job.Out)
		r.storage = storage{fs}
		return err
	}
	return nil
}

func readBundle(ctx context.Context, name string) (*publish.Bundle, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	f, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	b, err := publish.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("read bundle %s: %w", name, err)
	}
	return b, nil
}

// ProcessElement redacts a shard. A runner may try a shard again, even while an earlier try
// goes on, and passes on the result of one try. So each try has a folder of its own.
func (r *redactFn) ProcessElement(ctx context.Context, number int) (Done, error) {
	j := r.Job
	done := Done{Shard: number, Try: "try-" + rand.Text()}
	m, err := (&shard.Job{
		Bundle: r.bundle, Version: j.Version, Files: j.Files, Number: shard.Number{Shard: number, Of: j.Of}, Dir: j.Stage + "/" + done.Try,
		Options: stream.Options{Format: stream.JSONL, Workers: j.Workers, Skip: j.Skip}, Storage: r.storage, Now: time.Now,
	}).Redact(ctx)
	if err != nil {
		return done, err
	}
	if m.Errors != nil {
		done.Files = append(done.Files, m.Errors.Path)
	}
	done.Files, done.Bundle = append(done.Files, m.Output.Path, m.Name()), m.Settings.Bundle
	beam.NewCounter("hide", "notes").Inc(ctx, int64(m.Counts.Notes))
	beam.NewCounter("hide", "refused").Inc(ctx, int64(m.Counts.Refused))
	for label, n := range m.Counts.Redactions {
		beam.NewCounter("hide.redactions", string(label)).Inc(ctx, int64(n))
	}
	return done, nil
}

// publishFn is the last step, which makes the output visible.
type publishFn struct{ Job Job }

// ProcessElement gets all shards that were redacted. A runner may call it again with the same
// shards after it has done a part of its work, or all of it.
func (p *publishFn) ProcessElement(ctx context.Context, _ int, next func(*Done) bool) error {
	shards, bundles, n := make([]Done, p.Job.Of), map[string]bool{}, 0
	for d := (Done{}); next(&d); d = (Done{}) {
		shards[d.Shard], bundles[d.Bundle], n = d, true, n+1
	}
	if n != len(shards) || slices.ContainsFunc(shards, func(d Done) bool { return d.Try == "" }) {
		return fmt.Errorf("not each of %d shards was redacted once", len(shards))
	}
	if len(bundles) > 1 {
		return fmt.Errorf("%s changed during the job", p.Job.Bundle)
	}
	fs, err := filesystem.New(ctx, p.Job.Out)
	if err != nil {
		return err
	}
	defer fs.Close()
	if scheme(p.Job.Out) != "" {
		return p.gather(ctx, fs, shards, p.Job.Out)
	}
	if _, err := os.Lstat(p.Job.Stage); errors.Is(err, os.ErrNotExist) {
		_, err = os.Lstat(p.Job.Out) // an earlier call has renamed the stage
		return err
	}
	if err := p.gather(ctx, fs, shards, p.Job.Stage); err != nil {
		return err
	}
	return os.Rename(p.Job.Stage, p.Job.Out)
}

// gather moves the files of all shards into a folder, the manifest of a shard last, and
// removes what other tries have left. A shard is complete when its manifest is there.
func (p *publishFn) gather(ctx context.Context, fs filesystem.Interface, shards []Done, dir string) error {
	for _, d := range shards {
		for _, name := range d.Files {
			from, to := p.Job.Stage+"/"+d.Try+"/"+name, dir+"/"+name
			there, err := fs.List(ctx, from)
			if err == nil && len(there) > 0 {
				err = filesystem.Rename(ctx, fs, from, to)
			} else if err == nil {
				_, err = fs.Size(ctx, to) // an earlier call has moved it
			}
			if err != nil {
				return err
			}
		}
	}
	for _, pattern := range []string{"/try-*/*", "/try-*"} { // files, and the folders of local ones
		left, err := fs.List(ctx, p.Job.Stage+pattern)
		for i := 0; err == nil && i < len(left); i++ {
			err = fs.(filesystem.Remover).Remove(ctx, left[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scheme is "gs" for gs://bucket/notes.jsonl, and "" for a file of the machine. All workers
// must see the same files of the machine.
func scheme(name string) string { return name[:max(0, strings.Index(name, "://"))] }

// storage is a store that Beam knows.
type storage struct{ filesystem.Interface }

// Open opens a file from its start only, as Beam does.
func (s storage) Open(ctx context.Context, name string, at int64) (io.ReadCloser, error) {
	if at > 0 {
		return nil, errors.ErrUnsupported
	}
	return s.OpenRead(ctx, name)
}

// Write writes an object. It appears when it is closed, unless its context has ended.
func (s storage) Write(ctx context.Context, name string, fill func(io.Writer) error) (int64, error) {
	writing, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.OpenWrite(writing, name)
	if err != nil {
		return 0, err
	}
	if err := fill(w); err != nil {
		cancel()
		return 0, errors.Join(err, w.Close())
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return s.Size(ctx, name)
}
