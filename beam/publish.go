// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"hide/internal/publish/shard"
)

func init() {
	register.DoFn3x1[context.Context, int, func(*Result) bool, error](&publishFn{})
	register.Iter1[Result]()
}

// publishFn is the step that makes the output visible. Only here do the files of a job get
// their names.
type publishFn struct {
	Job Job
}

// ProcessElement is called with the results of all shards. Runners may call it again after it
// has done a part of its work, or all.
func (p *publishFn) ProcessElement(ctx context.Context, _ int, next func(*Result) bool) error {
	var results []Result
	for r := (Result{}); next(&r); r = (Result{}) {
		results = append(results, r)
	}
	slices.SortFunc(results, func(a, b Result) int { return a.Manifest.Shard - b.Manifest.Shard })
	for i, r := range results {
		if r.Manifest.Shard != i {
			return fmt.Errorf("shard %d of %d is missing or there twice", i, p.Job.Of)
		}
	}
	if len(results) != p.Job.Of {
		return fmt.Errorf("%d of %d shards are missing", p.Job.Of-len(results), p.Job.Of)
	}
	return p.all(ctx, results)
}

// all names the outputs first and the manifests second: where there is a manifest, the shard
// is complete. A local folder gets its name last. An object store has no folders: there the
// output is complete when all manifests are there.
func (p *publishFn) all(ctx context.Context, results []Result) error {
	dir := p.Job.Out
	if isLocal(dir) {
		if p.done(ctx, results[0]) {
			return nil
		}
		dir = p.Job.Stage
	}
	for _, r := range results {
		for _, f := range r.files() {
			if err := move(ctx, p.Job.Stage+"/"+r.Try+f.Path, dir+"/"+f.Path, f.Bytes); err != nil {
				return err
			}
		}
	}
	for _, r := range results {
		if _, err := write(ctx, dir+"/"+r.Manifest.Name(), r.Manifest.Write); err != nil {
			return err
		}
	}
	if err := removeAll(ctx, p.Job.Stage+"/try-*"); err != nil || dir == p.Job.Out {
		return err
	}
	return with(ctx, dir, func(fs filesystem.Interface) error { return filesystem.Rename(ctx, fs, dir, p.Job.Out) })
}

// done reports whether an earlier call has done everything: the output has the manifest of
// this very job, with its time.
func (p *publishFn) done(ctx context.Context, r Result) bool {
	var want bytes.Buffer
	there, err := readWhole(ctx, p.Job.Out+"/"+r.Manifest.Name())
	return err == nil && r.Manifest.Write(&want) == nil && bytes.Equal(there, want.Bytes())
}

// files are the files of the shard beside its manifest.
func (r Result) files() []shard.File {
	files := []shard.File{r.Manifest.Output}
	if r.Manifest.Errors != nil {
		files = append(files, *r.Manifest.Errors)
	}
	return files
}
