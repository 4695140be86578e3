// SPDX-License-Identifier: Apache-2.0

// Benchcrf compares hide's CRF with CRFsuite on the same features, penalty and stopping
// rule.
//
//	go build -o "$B/hide" ./cmd/hide
//	go build -C tools -o "$B/benchcrf" ./benchcrf
//	"$B/benchcrf" --crfsuite "$B/crfsuite" --hide "$B/hide" --case train.jsonl,dev.jsonl,names
//
// For each case it lets hide write the attributes. Then it runs in turn, as often as
// --rounds says: default CRFsuite, hide on one processor, CRFsuite with more memory for
// L-BFGS, hide on more processors. The load of a machine changes from minute to minute, so
// only ratios within a round are meaningful; it prints their minimum, median and maximum.
//
// docs/performance.md describes how CRFsuite is built and what the figures mean.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

// settings are the flags.
type settings struct {
	crfsuite, hide, preset, transitions, work, out string
	cases                                          []caseSpec
	rounds, memories, workers                      int
}

// caseSpec is one data set to measure: TRAIN,TEST,LABELS. An empty TEST scores nothing.
type caseSpec struct {
	Train  string `json:"train"`
	Test   string `json:"test,omitempty"`
	Labels string `json:"labels"` // as hide bench crf takes them
}

func parseCase(text string) (caseSpec, error) {
	parts := strings.SplitN(text, ",", 3)
	if len(parts) < 3 || parts[0] == "" || parts[2] == "" {
		return caseSpec{}, fmt.Errorf("a case is TRAIN,TEST,LABELS, where TEST may be empty")
	}
	return caseSpec{parts[0], parts[1], parts[2]}, nil
}

func parseSettings(args []string, stderr io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("benchcrf", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&s.crfsuite, "crfsuite", "crfsuite", "CRFsuite's `PROGRAM`")
	f.StringVar(&s.hide, "hide", "hide", "hide's `PROGRAM`")
	f.StringVar(&s.preset, "preset", "hide", "hide's `PRESET` of features")
	f.StringVar(&s.transitions, "transitions", "free", "`TRANSITIONS` that hide trains over: free, as CRFsuite, or bio, to be held against a CRFsuite that has been taught to forbid the others")
	f.StringVar(&s.work, "work", "", "`FOLDER` for attributes, models and logs, kept; they hold words of the notes. Without it, a temporary one")
	f.StringVar(&s.out, "json", "", "write everything measured to `FILE`")
	f.IntVar(&s.rounds, "rounds", 3, "`N` interleaved rounds")
	f.IntVar(&s.memories, "memories", 40, "num_memories `M` of the second CRFsuite; 0 leaves it out")
	f.IntVar(&s.workers, "workers", 2, "processors `N` of the second hide; 0 leaves it out")
	f.Func("case", "`TRAIN,TEST,LABELS` to measure on; may be given more than once", func(text string) error {
		c, err := parseCase(text)
		s.cases = append(s.cases, c)
		return err
	})
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if len(s.cases) == 0 || f.NArg() > 0 || s.rounds < 1 || s.memories < 0 || s.workers < 0 {
		return s, errors.New("give at least one --case TRAIN,TEST,LABELS, and at least one round")
	}
	return s, nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "benchcrf:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parseSettings(args, stderr)
	if err != nil {
		return err
	}
	work := s.work
	if work == "" {
		if work, err = os.MkdirTemp("", "benchcrf-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(work) }() // an error here does no harm
	}
	report := report{Machine: machine(), Hide: versionOf(ctx, s.hide), Preset: s.preset, Transitions: s.transitions, Memories: s.memories, Workers: s.workers}
	for i, c := range s.cases {
		folder := filepath.Join(work, fmt.Sprintf("case%d", i+1))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		b := bench{settings: s, spec: c, folder: folder, log: stderr}
		result, err := b.measure(ctx)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", c.Train, c.Labels, err)
		}
		report.Cases = append(report.Cases, result)
		result.write(stdout)
		if err := report.save(s.out); err != nil { // after each case: one may take an hour
			return err
		}
	}
	return nil
}

// save writes the JSON.
func (r report) save(name string) error {
	if name == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o600)
}
