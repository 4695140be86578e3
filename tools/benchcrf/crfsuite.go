// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// near is how close to the reference an objective must come.
const near = 1 + 1e-4

// suiteRun is one training by CRFsuite. Times are of its optimiser only; reading
// and making features come before.
type suiteRun struct {
	Features    int      `json:"features"`
	Objective   float64  `json:"objective"`
	Iterations  int      `json:"iterations"`
	Evaluations int      `json:"evaluations"`
	CPU         float64  `json:"cpu_seconds"`
	Wall        float64  `json:"wall_seconds"`
	ToCPU       *float64 `json:"to_reference_cpu_seconds"` // null when it never came there
	ToWall      *float64 `json:"to_reference_wall_seconds"`
	PeakMiB     float64  `json:"peak_mib"`
	ModelBytes  int64    `json:"model_bytes"`
	ProcessCPU  float64  `json:"process_cpu_seconds"` // with reading and writing
}

// step is one iteration as the log tells it, with the wall's time at its end.
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

// readLog reads what CRFsuite prints while it trains. It prints each line at
// once, so the time of reading is the time of printing.
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

// suiteOf adds up the iterations. Reference 0 means the objective of the last.
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

// perEvaluation is the processor time of one evaluation and its share of the
// optimiser's vectors, in ms.
func (r suiteRun) perEvaluation() float64 { return r.CPU * 1000 / float64(r.Evaluations) }
