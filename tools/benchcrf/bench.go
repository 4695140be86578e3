// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// bench measures one case.
type bench struct {
	settings
	spec   caseSpec
	folder string
	log    io.Writer
}

// round is one run of each program. The second ones may be left out.
type round struct {
	Load  string    `json:"load"` // of the machine before it
	Plain suiteRun  `json:"crfsuite"`
	Tuned *suiteRun `json:"crfsuite_tuned,omitempty"`
	One   hideRun   `json:"hide"`
	More  *hideRun  `json:"hide_workers,omitempty"`
}

func (b bench) path(name string) string { return filepath.Join(b.folder, name) }

func (b bench) measure(ctx context.Context) (caseResult, error) {
	result := caseResult{caseSpec: b.spec, memories: b.memories, workers: b.workers}
	if err := b.prepare(ctx); err != nil {
		return result, err
	}
	reference := 0.0 // CRFsuite ends at the same objective each time
	for i := range b.rounds {
		r, err := b.round(ctx, &reference, i+1)
		if err != nil {
			return result, err
		}
		result.Rounds = append(result.Rounds, r)
	}
	if b.spec.Test != "" {
		score, err := b.scoreSuite(ctx)
		if err != nil {
			return result, err
		}
		result.SuiteScore = &score
	}
	result.summarize()
	return result, nil
}

// prepare lets hide write the attributes that CRFsuite reads.
func (b bench) prepare(ctx context.Context) error {
	fmt.Fprintf(b.log, "%s, %s: writing attributes\n", b.spec.Train, b.spec.Labels)
	args := append(b.hideArgs(), "--max-iterations", "1", "--dump-attributes", b.path("train.crf"))
	if b.spec.Test != "" {
		args = append(args, "--dump-test", b.path("test.crf"))
	}
	_, err := runHide(ctx, b.hide, args)
	return err
}

func (b bench) hideArgs() []string {
	args := []string{"bench", "crf", "--json", "--in", b.spec.Train, "--labels", b.spec.Labels, "--preset", b.preset, "--transitions", b.transitions}
	if b.spec.Test != "" {
		args = append(args, "--test", b.spec.Test)
	}
	return args
}

func (b bench) round(ctx context.Context, reference *float64, number int) (round, error) {
	r := round{Load: load()}
	say := func(what string) { fmt.Fprintf(b.log, "round %d of %d: %s\n", number, b.rounds, what) }
	say("CRFsuite (load " + r.Load + ")")
	var err error
	if r.Plain, err = b.suite(ctx, 0, *reference); err != nil {
		return r, err
	}
	*reference = r.Plain.Objective
	say("hide")
	if r.One, err = b.ours(ctx, 1, *reference); err != nil {
		return r, err
	}
	if b.memories > 0 {
		say("CRFsuite with more memory")
		tuned, err := b.suite(ctx, b.memories, *reference)
		if err != nil {
			return r, err
		}
		r.Tuned = &tuned
	}
	if b.workers > 0 {
		say("hide on more processors")
		more, err := b.ours(ctx, b.workers, *reference)
		if err != nil {
			return r, err
		}
		r.More = &more
	}
	return r, nil
}

// suite trains with CRFsuite; memories 0 is its default.
func (b bench) suite(ctx context.Context, memories int, reference float64) (suiteRun, error) {
	model := b.path(fmt.Sprintf("model%d", memories))
	args := []string{"learn", "-a", "lbfgs", "-m", model}
	if memories > 0 {
		args = append(args, "-p", "num_memories="+strconv.Itoa(memories))
	}
	r, err := runSuite(ctx, b.crfsuite, append(args, b.path("train.crf")), reference)
	if err != nil {
		return r, err
	}
	info, err := os.Stat(model)
	if err != nil {
		return r, err
	}
	r.ModelBytes = info.Size()
	return r, nil
}

func (b bench) ours(ctx context.Context, workers int, reference float64) (hideRun, error) {
	args := append(b.hideArgs(), "--workers", strconv.Itoa(workers), "--reference", strconv.FormatFloat(reference, 'f', -1, 64))
	return runHide(ctx, b.hide, args)
}

// load is how busy the machine is, as Linux tells: processes in the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
