// SPDX-License-Identifier: Apache-2.0

// Package main is hide redact as a job of Apache Beam. It redacts lines of JSON on Flink,
// Spark, Dataflow, or on this machine.
//
//	hide-beam --in 'notes/*.jsonl' --bundle ward.bundle --out redacted --shards 64
//
// The output consists of shards with their manifests, as hide redact --shard writes them. The
// elements of the job are numbers of shards, never notes: no note passes through the memory,
// the checkpoints or the logs of a runner.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"hide/internal/hint"
	"hide/internal/publish/shard"
)

func main() {
	var j Job
	in := flag.String("in", "", "`PATTERN` of the files to redact: lines of JSON as hide redact reads them")
	flag.StringVar(&j.Bundle, "bundle", "", "`FILE` of the bundle; every worker reads it")
	flag.StringVar(&j.Out, "out", "", "new `FOLDER` for the output")
	flag.IntVar(&j.Of, "shards", 16, "cut the input into `N` shards")
	flag.IntVar(&j.Workers, "workers", 1, "redact `N` notes of a shard at a time; 0 means one for each processor")
	flag.BoolVar(&j.Skip, "skip-bad", false, "leave out notes that cannot be read; without it the first one fails the job")
	flag.Parse()
	beam.Init() // in the process of a worker it does not return
	ctx := context.Background()
	p, err := j.pipeline(ctx, *in)
	if err == nil {
		err = beamx.Run(ctx, p) // until its end, unless --async says otherwise
	}
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "hide-beam:", err)
	if next := hint.Of(err); next != "" {
		fmt.Fprintln(os.Stderr, "hide-beam:", next)
	}
	os.Exit(1)
}

// pipeline is the job: shards are redacted anywhere and in any order, and published at once.
func (j *Job) pipeline(ctx context.Context, in string) (*beam.Pipeline, error) {
	if err := j.prepare(ctx, in); err != nil {
		return nil, err
	}
	numbers := make([]int, j.Of)
	for i := range numbers {
		numbers[i] = i
	}
	p, s := beam.NewPipelineWithRoot()
	shards := beam.Reshuffle(s, beam.CreateList(s, numbers))
	done := beam.ParDo(s, &redactFn{Job: *j}, shards)
	last := *j
	last.Files = nil // the description of a job has a largest size
	beam.ParDo0(s, &publishFn{Job: last}, beam.GroupByKey(s, beam.AddFixedKey(s, done)))
	return p, nil
}

// check refuses what cannot be a job.
func (j *Job) check(in string) error {
	switch {
	case in == "" || j.Bundle == "" || j.Out == "":
		return errors.New("--in, --bundle and --out are needed")
	case j.Of < 1 || j.Of > shard.MostShards:
		return fmt.Errorf("--shards: enter a whole number from 1 to %d", shard.MostShards)
	case j.Workers < 0:
		return errors.New("--workers: enter a whole number of at least 0")
	case scheme(in) != scheme(j.Out):
		return errors.New("--in and --out must be in the same file system or store")
	case strings.ContainsAny(j.Out, `*?[\`):
		return errors.New(`--out: choose a name without *, ?, [ and \`)
	}
	return nil
}

// prepare completes the job.
func (j *Job) prepare(ctx context.Context, in string) error {
	if err := j.check(in); err != nil {
		return err
	}
	fs, err := filesystem.New(ctx, j.Out)
	if err != nil {
		return err
	}
	defer fs.Close()
	for _, pattern := range []string{j.Out, j.Out + "/*"} {
		there, err := fs.List(ctx, pattern)
		if err != nil {
			return err
		}
		if len(there) > 0 {
			return hint.Add(fmt.Errorf("--out %s exists already", j.Out), "choose another name, or remove it first")
		}
	}
	if j.Files, err = find(ctx, fs, in); err != nil {
		return err
	}
	j.Version, j.Stage = "hide-beam", j.Out+".part-"+rand.Text() // of this job alone
	if info, ok := debug.ReadBuildInfo(); ok {
		j.Version += " " + info.Main.Version
	}
	if scheme(j.Out) == "" {
		j.Stage = path.Join(path.Dir(j.Stage), "."+path.Base(j.Stage)) // hidden
	}
	_, err = readBundle(ctx, j.Bundle)
	return err
}

// find lists the files that a pattern matches, by name.
func find(ctx context.Context, fs filesystem.Interface, pattern string) ([]shard.File, error) {
	if scheme(pattern) == "" {
		return shard.Find([]string{pattern})
	}
	names, err := fs.List(ctx, pattern)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, hint.Add(fmt.Errorf("--in %q matches no file", pattern), "check the name of the bucket, and quote the pattern")
	}
	slices.Sort(names)
	return shard.Sizes(ctx, storage{fs}, names)
}
