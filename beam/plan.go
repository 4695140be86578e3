// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"hide/internal/hint"
	"hide/internal/publish"
	"hide/internal/publish/shard"
	"hide/internal/publish/stream"
)

// Job is what every worker knows.
type Job struct {
	Bundle   string // its file
	Settings shard.Settings
	Input    shard.Input
	Of       int    // shards
	Out      string // the folder of the output
	Stage    string // the folder where the output is made
	Workers  int
}

// Shard is what one element of the job redacts.
type Shard struct {
	Number int
	Ranges []shard.Range
}

// plan cuts the input. Files of an object store are cut between files only, because Beam
// reads them from their start.
func plan(ctx context.Context, o options) (Job, []Shard, error) {
	if err := o.check(ctx); err != nil {
		return Job{}, nil, err
	}
	b, sum, err := openBundle(ctx, o.bundle)
	if err != nil {
		return Job{}, nil, err
	}
	files, err := find(ctx, o.in)
	if err != nil {
		return Job{}, nil, err
	}
	snap := shard.Snap
	if !isLocal(o.in) {
		snap = nil
	}
	shards := make([]Shard, o.shards)
	for i := range shards {
		ranges, err := shard.Cut(files, shard.Number{Shard: i, Of: o.shards}, snap)
		if err != nil {
			return Job{}, nil, err
		}
		shards[i] = Shard{i, ranges}
	}
	return Job{
		Bundle: o.bundle, Input: shard.Identify(files), Of: o.shards, Out: o.out, Stage: stage(o.out), Workers: o.workers,
		Settings: shard.Settings{
			Version: version(), Bundle: sum, Placeholder: b.Policy.Placeholder, Labels: b.Policy.Labels,
			Format: stream.JSONL, Skip: o.skip,
		},
	}, shards, nil
}

// check refuses what cannot be a job.
func (o options) check(ctx context.Context) error {
	for _, f := range []struct{ flag, value string }{{"in", o.in}, {"bundle", o.bundle}, {"out", o.out}} {
		if f.value == "" {
			return fmt.Errorf("--%s is missing", f.flag)
		}
	}
	if o.shards < 1 || o.shards > shard.MostShards {
		return fmt.Errorf("--shards: enter a whole number from 1 to %d", shard.MostShards)
	}
	if o.workers < 0 {
		return errors.New("--workers: enter a whole number of at least 0")
	}
	for _, pattern := range []string{o.out, o.out + "/*"} {
		there, err := list(ctx, pattern)
		if err != nil {
			return err
		}
		if len(there) > 0 {
			return hint.Add(fmt.Errorf("--out %s exists already", o.out), "choose another name, or remove it first")
		}
	}
	return nil
}

// find lists the files of the input by name. Empty files are left out.
func find(ctx context.Context, pattern string) ([]shard.File, error) {
	names, err := list(ctx, pattern)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, hint.Add(fmt.Errorf("--in %q matches no file", pattern), "quote the pattern, and check the folder")
	}
	slices.Sort(names)
	var files []shard.File
	for _, name := range names {
		n, err := sizeOf(ctx, name)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			files = append(files, shard.File{Path: name, Bytes: n})
		}
	}
	return files, nil
}

// openBundle reads a bundle, and returns its hash.
func openBundle(ctx context.Context, name string) (*publish.Bundle, string, error) {
	text, err := readWhole(ctx, name)
	if err != nil {
		return nil, "", err
	}
	b, err := publish.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, "", hint.Add(fmt.Errorf("read bundle %s: %w", name, err), "fetch the bundle again from the sanitize page or with hide sanitize")
	}
	sum, err := b.SHA256()
	return b, sum, err
}

// stage is the name of a new folder for the files of unfinished shards. No two jobs share one,
// so that workers of a job that failed cannot disturb the next one. A local one is beside the
// output, because it is renamed.
func stage(out string) string {
	name := out + ".part-" + rand.Text()
	if isLocal(out) {
		name = path.Join(path.Dir(name), "."+path.Base(name))
	}
	return name
}

// isLocal reports whether a file is of the local file system: it has folders to rename and
// files to read from any byte.
func isLocal(name string) bool { return !strings.Contains(name, "://") }

// version is the version of the program that manifests record.
func version() string {
	info, _ := debug.ReadBuildInfo()
	commit := ""
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = s.Value[:min(12, len(s.Value))]
		}
	}
	return "hide-beam " + cmp.Or(commit, "(devel)")
}
