// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"hide/internal/ndjson"
	"hide/internal/parallel"
	"hide/internal/publish"
)

func init() {
	register.DoFn2x2[context.Context, Shard, Result, error](&redact{})
	register.DoFn3x1[context.Context, int, func(*Result) bool, error](&finish{})
	register.Iter1[Result]()
}

// Job is what every worker knows.
type Job struct {
	Bundle, SHA256 string
	Out, Stage     string // the folder of the output, and the one where it is made
	Shards         int
	Workers        int
	Skip           bool
}

// Shard is what one element of the job redacts.
type Shard struct {
	Number int
	Files  []string
}

// Result is what became of a shard.
type Result struct {
	Number int
	Try    string // name of the file of this try, in the stage
	Size   int64
	SHA256 string
}

func plan(ctx context.Context, o options) (*Job, []Shard, error) {
	names, err := list(ctx, o.in)
	if err != nil {
		return nil, nil, err
	}
	shards := make([]Shard, o.shards)
	for i := range shards {
		shards[i] = Shard{i, names[len(names)*i/o.shards : len(names)*(i+1)/o.shards]}
	}
	text, err := read(ctx, o.bundle)
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(text)
	return &Job{Bundle: o.bundle, SHA256: hex.EncodeToString(sum[:]), Out: o.out, Stage: stage(o.out), Shards: len(shards), Workers: o.workers, Skip: o.skip}, shards, nil
}

// build makes the pipeline: shards are redacted anywhere, and finished in one place.
func (j *Job) build(s beam.Scope, shards []Shard) {
	spread := beam.Reshuffle(s, beam.CreateList(s, shards))
	results := beam.ParDo(s, &redact{Job: *j}, spread)
	all := beam.GroupByKey(s, beam.AddFixedKey(s, results))
	beam.ParDo0(s, &finish{Job: *j}, all)
}

// redact redacts a shard into a file of its own in the stage.
type redact struct {
	Job    Job
	bundle *publish.Bundle
}

// Setup reads the bundle.
func (r *redact) Setup(ctx context.Context) error {
	b, err := readBundle(ctx, r.Job.Bundle, r.Job.SHA256)
	r.bundle = b
	return err
}

// ProcessElement redacts one shard. A runner may try a shard many times, and at the same
// time: every try has a name of its own, and only one result gets on.
func (r *redact) ProcessElement(ctx context.Context, s Shard) (Result, error) {
	out := Result{Number: s.Number, Try: fmt.Sprintf("%s.try-%s", r.Job.name(s.Number), rand.Text())}
	sum := sha256.New()
	err := write(ctx, r.Job.Stage+"/"+out.Try, func(w io.Writer) error {
		return r.files(ctx, s, io.MultiWriter(w, sum, (*size)(&out.Size)))
	})
	out.SHA256 = hexOf(sum)
	return out, err
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

type size int64

func (s *size) Write(p []byte) (int, error) {
	*s += size(len(p))
	return len(p), nil
}

func (r *redact) files(ctx context.Context, s Shard, w io.Writer) error {
	for _, name := range s.Files {
		in, err := open(ctx, name)
		if err != nil {
			return err
		}
		err = r.bundle.Lines(ctx, in, w, ndjson.Options{Bound: parallel.Bound{Workers: r.Job.Workers}})
		if err := errors.Join(err, in.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (j *Job) name(shard int) string { return fmt.Sprintf("%05d-of-%05d.jsonl", shard, j.Shards) }

// finish makes the output of all shards visible.
type finish struct {
	Job Job
}

// ProcessElement is called once, with the results of all shards. A runner may try it again
// when it has done a part of its work, or all.
func (f *finish) ProcessElement(ctx context.Context, _ int, next func(*Result) bool) error {
	results := make([]Result, f.Job.Shards)
	seen := map[int]bool{}
	for r := (Result{}); next(&r); {
		results[r.Number] = r
		seen[r.Number] = true
	}
	if len(seen) != len(results) {
		return fmt.Errorf("%d of %d shards", len(seen), len(results))
	}
	return f.Job.publish(ctx, results)
}
