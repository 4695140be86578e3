// SPDX-License-Identifier: Apache-2.0

// Package main is hide redact as a job of Apache Beam. It redacts lines of JSON on Flink,
// Spark, Dataflow, or on this machine.
//
//	hide-beam --in 'notes/*.jsonl' --bundle ward.bundle --out redacted --shards 64
//
// The output has the bytes, the files and the manifests of hide redact --shard, whatever runs
// the job. The elements of the job are shards, never notes: no note passes through the
// memory, the checkpoints or the logs of a runner.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"hide/internal/hint"
)

func main() {
	var o options
	o.declare(flag.CommandLine)
	flag.Parse()
	beam.Init() // in the process of a worker it does not return
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "hide-beam:", err)
		if next := hint.Of(err); next != "" {
			fmt.Fprintln(os.Stderr, "hide-beam:", next)
		}
		os.Exit(1)
	}
}

// options are the flags of a job.
type options struct {
	in, bundle, out string
	shards, workers int
	skip            bool
}

func (o *options) declare(f *flag.FlagSet) {
	f.StringVar(&o.in, "in", "", "`PATTERN` of the files to redact: lines of JSON as hide redact reads them")
	f.StringVar(&o.bundle, "bundle", "", "`FILE` of the bundle; every worker reads it")
	f.StringVar(&o.out, "out", "", "new `FOLDER` for the output")
	f.IntVar(&o.shards, "shards", 16, "cut the input into `N` shards")
	f.IntVar(&o.workers, "workers", 1, "redact `N` notes of a shard at a time; 0 means one for each processor")
	f.BoolVar(&o.skip, "skip-bad", false, "leave out notes that cannot be read; without it the first one fails the job")
}

// run runs the job and waits for its end, unless --async says otherwise.
func run(ctx context.Context, o options) error {
	j, shards, err := plan(ctx, o)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	spread := beam.Reshuffle(s, beam.CreateList(s, shards))
	results := beam.ParDo(s, &redactFn{Job: j}, spread)
	beam.ParDo0(s, &publishFn{Job: j}, beam.GroupByKey(s, beam.AddFixedKey(s, results)))
	return beamx.Run(ctx, p)
}
