// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// bench measures one case.
type bench struct {
	settings
	spec   caseSpec
	folder string
	log    io.Writer
}

// round is one run of each program. The second runs may be left out.
type round struct {
	Load  string    `json:"load"` // of the machine before the round
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

// load is the load average of the last minute, as reported by Linux.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// near is the factor within which an objective counts as equal to the reference.
const near = 1 + 1e-4

// suiteRun is one training by CRFsuite. Times are of its optimiser only, without reading
// and making features.
type suiteRun struct {
	Features    int      `json:"features"`
	Objective   float64  `json:"objective"`
	Iterations  int      `json:"iterations"`
	Evaluations int      `json:"evaluations"`
	CPU         float64  `json:"cpu_seconds"`
	Wall        float64  `json:"wall_seconds"`
	ToCPU       *float64 `json:"to_reference_cpu_seconds"` // null when never reached
	ToWall      *float64 `json:"to_reference_wall_seconds"`
	PeakMiB     float64  `json:"peak_mib"`
	ModelBytes  int64    `json:"model_bytes"`
	ProcessCPU  float64  `json:"process_cpu_seconds"` // including reading and writing
}

// step is one iteration in the log, with the wall time at its end.
type step struct {
	loss, cpu float64 // of this iteration
	trials    int
	wall      time.Duration // since the optimiser started
}

func runSuite(ctx context.Context, program string, args []string, reference float64) (suiteRun, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return suiteRun{}, err
	}
	if err := cmd.Start(); err != nil {
		return suiteRun{}, err
	}
	features, steps, readErr := readLog(out, time.Now)
	_, _ = io.Copy(io.Discard, out) // so that it can end
	if err := errors.Join(cmd.Wait(), readErr); err != nil {
		return suiteRun{}, fmt.Errorf("%s: %w", program, err)
	}
	r := suiteOf(steps, reference)
	r.Features = features
	used := cmd.ProcessState
	r.ProcessCPU = (used.UserTime() + used.SystemTime()).Seconds()
	if u, ok := used.SysUsage().(*syscall.Rusage); ok {
		r.PeakMiB = float64(u.Maxrss) / 1024 // KiB on Linux
	}
	return r, nil
}

// readLog reads CRFsuite's output while it trains. CRFsuite prints each line at once, so the
// time of reading is the time of printing.
func readLog(r io.Reader, now func() time.Time) (features int, steps []step, err error) {
	var began time.Time
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		n, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
		switch name {
		case "Number of features":
			features = int(n)
		case "linesearch.max_iterations":
			began = now()
		case "Loss":
			steps = append(steps, step{loss: n})
		case "Line search trials", "Seconds required for this iteration":
			if len(steps) == 0 {
				return 0, nil, errors.New("a log that is none of CRFsuite's training")
			}
			last := &steps[len(steps)-1]
			if name == "Line search trials" {
				last.trials = int(n)
			} else {
				last.cpu, last.wall = n, now().Sub(began)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return 0, nil, err
	}
	if len(steps) == 0 || began.IsZero() {
		return 0, nil, errors.New("it trained nothing")
	}
	return features, steps, nil
}

// suiteOf sums up the iterations. Reference 0 means the objective of the last.
func suiteOf(steps []step, reference float64) suiteRun {
	last := steps[len(steps)-1]
	r := suiteRun{Objective: last.loss, Iterations: len(steps), Evaluations: 1, Wall: last.wall.Seconds()}
	if reference == 0 {
		reference = last.loss
	}
	for _, s := range steps {
		r.CPU += s.cpu
		r.Evaluations += s.trials
		if r.ToCPU == nil && s.loss <= reference*near {
			cpu, wall := r.CPU, s.wall.Seconds()
			r.ToCPU, r.ToWall = &cpu, &wall
		}
	}
	return r
}

// perEvaluation is the processor time per evaluation, including its share of the optimiser's
// vector operations, in ms.
func (r suiteRun) perEvaluation() float64 { return r.CPU * 1000 / float64(r.Evaluations) }
