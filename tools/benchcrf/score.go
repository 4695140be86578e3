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

// score counts correct spans: start, end and label.
type score struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	TP        int     `json:"tp"`
	FP        int     `json:"fp"`
	FN        int     `json:"fn"`
}

// scoreSuite tags the test file with the model of CRFsuite's default run.
func (b bench) scoreSuite(ctx context.Context) (score, error) {
	out, err := output(ctx, b.crfsuite, []string{"tag", "-r", "-m", b.path("model0"), b.path("test.crf")})
	if err != nil {
		return score{}, err
	}
	return scoreTagged(string(out))
}

// scoreTagged reads lines of gold and predicted label; an empty line ends a document.
func scoreTagged(text string) (score, error) {
	var s score
	var gold, predicted []string
	count := func() {
		have := map[entity]bool{}
		for _, e := range entities(gold) {
			have[e] = true
		}
		found := entities(predicted)
		for _, e := range found {
			if have[e] {
				s.TP++
			}
		}
		s.FP += len(found)
		s.FN += len(have)
		gold, predicted = gold[:0], predicted[:0]
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			count()
			continue
		}
		g, p, ok := strings.Cut(line, "\t")
		if !ok {
			return s, fmt.Errorf("a line that is no pair of labels")
		}
		gold, predicted = append(gold, g), append(predicted, p)
	}
	count()
	s.FP, s.FN = s.FP-s.TP, s.FN-s.TP
	s.Precision, s.Recall = share(s.TP, s.TP+s.FP), share(s.TP, s.TP+s.FN)
	s.F1 = share(2*s.TP, 2*s.TP+s.FP+s.FN)
	return s, nil
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// entity is tokens [start, end) of one label.
type entity struct {
	start, end int
	label      string
}

// entities reads BIO labels. CRFsuite may let I follow O or another label, which hide never
// does: such an I begins an entity, as in the CoNLL scorer.
func entities(labels []string) []entity {
	var found []entity
	open := false
	for i, l := range labels {
		kind, label, _ := strings.Cut(l, "-")
		switch {
		case kind == "I" && open && found[len(found)-1].label == label:
			found[len(found)-1].end = i + 1
		case kind == "B" || kind == "I":
			found = append(found, entity{i, i + 1, label})
			open = true
		default:
			open = false
		}
	}
	return found
}

// hideRun is the output of hide bench crf.
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

// perEvaluation is the processor time of training per evaluation, in ms.
func (r hideRun) perEvaluation() float64 { return r.Train.CPU * 1000 / float64(r.Train.Evaluations) }

// output runs a program and returns its output.
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

// machineInfo gives the machine and the time of the measurement.
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
