// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// hideRun is what hide bench crf says.
type hideRun struct {
	Documents  int     `json:"documents"`
	Tokens     int     `json:"tokens"`
	States     int     `json:"states"`
	Attributes int     `json:"attributes"`
	Weights    int     `json:"weights"`
	Workers    int     `json:"workers"`
	Kernel     string  `json:"kernel"`
	Extract    float64 `json:"extract_seconds"`
	PassCPU    float64 `json:"pass_cpu_ms"`
	Train      struct {
		Objective   float64  `json:"objective"`
		Iterations  int      `json:"iterations"`
		Evaluations int      `json:"evaluations"`
		Status      string   `json:"status"`
		CPU         float64  `json:"cpu_seconds"`
		Wall        float64  `json:"wall_seconds"`
		ToCPU       *float64 `json:"to_reference_cpu_seconds"`
		ToWall      *float64 `json:"to_reference_wall_seconds"`
	} `json:"train"`
	Retrain *struct {
		Wall *float64 `json:"wall_seconds"`
	} `json:"retrain"`
	Tag struct {
		TokensPerSecond float64 `json:"tokens_per_second"`
	} `json:"tag"`
	Test       *score  `json:"test,omitempty"`
	PeakMiB    float64 `json:"peak_mib"`
	ModelBytes int64   `json:"model_bytes"`
}

func runHide(ctx context.Context, program string, args []string) (hideRun, error) {
	var r hideRun
	out, err := output(ctx, program, args)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("%s: what it says is not understood: %w", program, err)
	}
	return r, nil
}

// perEvaluation is the processor time of training for one evaluation, in ms.
func (r hideRun) perEvaluation() float64 { return r.Train.CPU * 1000 / float64(r.Train.Evaluations) }

// output runs a program and returns what it prints.
func output(ctx context.Context, program string, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

func versionOf(ctx context.Context, program string) string {
	out, err := output(ctx, program, []string{"version"})
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// machineInfo says where and when it was measured.
type machineInfo struct {
	Processor  string `json:"processor"`
	Processors int    `json:"processors"`
	System     string `json:"system"`
	Date       string `json:"date"`
}

func machine() machineInfo {
	m := machineInfo{"unknown", runtime.NumCPU(), runtime.GOOS + "/" + runtime.GOARCH, time.Now().UTC().Format(time.DateOnly)}
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			m.Processor = strings.TrimSpace(value)
			break
		}
	}
	return m
}
