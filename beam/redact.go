// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"hide/internal/publish"
	"hide/internal/publish/shard"
	"hide/internal/publish/stream"
)

func init() {
	register.DoFn2x2[context.Context, Shard, Result, error](&redactFn{})
	beam.RegisterCoder(reflect.TypeFor[Result](), encodeResult, decodeResult)
}

// Result is what became of a shard.
type Result struct {
	Try      string         // begins the names of its files in the stage
	Manifest shard.Manifest // names its files in the output
}

func encodeResult(r Result) ([]byte, error) { return json.Marshal(r) }

func decodeResult(text []byte) (r Result, err error) { return r, json.Unmarshal(text, &r) }

// redactFn is the step that redacts shards.
type redactFn struct {
	Job    Job
	bundle *publish.Bundle
}

// Setup reads the bundle, once in each worker.
func (r *redactFn) Setup(ctx context.Context) error {
	b, sum, err := openBundle(ctx, r.Job.Bundle)
	if err == nil && sum != r.Job.Settings.Bundle {
		err = fmt.Errorf("%s is another bundle than the one that the job began with", r.Job.Bundle)
	}
	r.bundle = b
	return err
}

// ProcessElement redacts a shard into files of the stage. Runners may try a shard again, even
// while an earlier try goes on. Each try writes files of its own, and runners pass on one
// result.
func (r *redactFn) ProcessElement(ctx context.Context, s Shard) (Result, error) {
	began := time.Now()
	result := Result{Try: "try-" + rand.Text() + "-", Manifest: shard.Manifest{
		Schema: shard.Schema, Settings: r.Job.Settings, Input: r.Job.Input, Shard: s.Number, Of: r.Job.Of, Read: shard.Part{Ranges: s.Ranges},
	}}
	if err := r.files(ctx, &result); err != nil {
		return result, fmt.Errorf("shard %d of %d: %w", s.Number, r.Job.Of, err)
	}
	m := &result.Manifest
	m.Seconds = time.Since(began).Seconds()
	beam.NewCounter("hide", "notes").Inc(ctx, int64(m.Counts.Notes))
	beam.NewCounter("hide", "refused").Inc(ctx, int64(m.Counts.Refused))
	for label, n := range m.Counts.Redactions {
		beam.NewCounter("redactions", string(label)).Inc(ctx, int64(n))
	}
	return result, nil
}

// files writes the output and the list of records that were left out.
func (r *redactFn) files(ctx context.Context, result *Result) error {
	m, begin := &result.Manifest, r.Job.Stage+"/"+result.Try
	if !r.Job.Settings.Skip {
		return r.output(ctx, m, begin, nil)
	}
	name := shard.Name(m.Shard, m.Of) + ".errors"
	var err error
	left, err := write(ctx, begin+name, func(w io.Writer) error { return r.output(ctx, m, begin, w) })
	left.Path = name
	m.Errors = &left
	return err
}

func (r *redactFn) output(ctx context.Context, m *shard.Manifest, begin string, left io.Writer) (err error) {
	read := newSummed()
	m.Output, err = write(ctx, begin+m.OutputName(), func(w io.Writer) error {
		var pieces []stream.Piece
		for _, p := range m.Read.Ranges {
			pieces = append(pieces, stream.Piece{Name: p.File, From: p.From, Open: func() (io.ReadCloser, error) { return open(ctx, p, read) }})
		}
		counts, err := stream.Redact(ctx, r.bundle, pieces, w, stream.Options{Format: stream.JSONL, Workers: r.Job.Workers, Skip: r.Job.Settings.Skip, Errors: left})
		m.Counts = shard.Counts{Notes: counts.Notes, Refused: counts.Refused, Redactions: counts.Redactions}
		return err
	})
	m.Output.Path, m.Read.Bytes, m.Read.SHA256 = m.OutputName(), read.bytes, read.hex()
	return errors.Join(err, r.unchanged(ctx, m.Read.Ranges))
}

// unchanged refuses an input that has other sizes than in the beginning.
func (r *redactFn) unchanged(ctx context.Context, ranges []shard.Range) error {
	for _, p := range ranges {
		if n, err := sizeOf(ctx, p.File); err != nil || n != p.Bytes {
			return errors.Join(fmt.Errorf("%s changed while it was read", p.File), err)
		}
	}
	return nil
}
