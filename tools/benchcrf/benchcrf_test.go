// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEntitiesReadBIOAsTheCoNLLScorerDoes(t *testing.T) {
	tests := map[string][]entity{
		"O O":             nil,
		"B-X I-X O":       {{0, 2, "X"}},
		"B-X B-X":         {{0, 1, "X"}, {1, 2, "X"}},
		"O I-X I-X":       {{1, 3, "X"}},
		"B-X I-Y I-Y B-Y": {{0, 1, "X"}, {1, 3, "Y"}, {3, 4, "Y"}},
		"B-X O I-X":       {{0, 1, "X"}, {2, 3, "X"}},
		"B-a-b I-a-b":     {{0, 2, "a-b"}},
	}
	for labels, want := range tests {
		if got := entities(strings.Fields(labels)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", labels, got, want)
		}
	}
}

func TestScoreCountsSpansWithinDocuments(t *testing.T) {
	got, err := scoreTagged("B-X\tB-X\nI-X\tI-X\nO\tB-Y\n\nB-X\tB-X\nI-X\tO\n\nB-Y\tB-Y\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := (score{0.5, 2.0 / 3, 4.0 / 7, 2, 2, 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if empty, err := scoreTagged(""); err != nil || empty != (score{}) {
		t.Errorf("of nothing: %+v, %v", empty, err)
	}
	if _, err := scoreTagged("O\n"); err == nil {
		t.Error("a line without a tab is no pair")
	}
}

const suiteLog = `CRFSuite 0.12.2

Feature generation
Number of features: 1234
Seconds required: 0.120

L-BFGS optimization
num_memories: 6
linesearch.max_iterations: 20

***** Iteration #1 *****
Loss: 200.000000
Line search trials: 2
Line search step: 0.010000
Seconds required for this iteration: 0.500

***** Iteration #2 *****
Loss: 100.009000
Line search trials: 1
Seconds required for this iteration: 0.250

***** Iteration #3 *****
Loss: 100.000000
Line search trials: 1
Seconds required for this iteration: 0.250

L-BFGS terminated with the stopping criteria
Total seconds required for training: 1.010
`

// ticking is a clock that advances by a second each time it is read.
func ticking() func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

func TestReadLogAddsUpIterations(t *testing.T) {
	features, steps, err := readLog(strings.NewReader(suiteLog), ticking())
	if err != nil || features != 1234 {
		t.Fatalf("%d features, %v", features, err)
	}
	r := suiteOf(steps, 0)
	if r.Objective != 100 || r.Iterations != 3 || r.Evaluations != 5 || r.CPU != 1 || r.Wall != 3 || r.perEvaluation() != 200 {
		t.Errorf("%+v", r)
	}
	if r.ToCPU == nil || *r.ToCPU != 0.75 || *r.ToWall != 2 {
		t.Errorf("near its end after %v s, %v of wall", r.ToCPU, r.ToWall)
	}
	if far := suiteOf(steps, 99.9); far.ToCPU != nil || far.ToWall != nil {
		t.Error("it never came to 99.9")
	}
}

func TestReadLogRefusesOtherPrograms(t *testing.T) {
	for _, text := range []string{"", "hello", "Line search trials: 2\n", "Loss: 3\n"} {
		if _, _, err := readLog(strings.NewReader(text), ticking()); err == nil {
			t.Errorf("%q is no log", text)
		}
	}
}

func TestParseCase(t *testing.T) {
	got, err := parseCase("a.jsonl,,DATE,NAME")
	if want := (caseSpec{"a.jsonl", "", "DATE,NAME"}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "a,b", ",b,names", "a,b,"} {
		if _, err := parseCase(bad); err == nil {
			t.Errorf("%q is no case", bad)
		}
	}
}

func TestSettingsWantACaseAndARound(t *testing.T) {
	for _, args := range [][]string{nil, {"--case", "a,b,all", "--rounds", "0"}, {"--case", "a,b,all", "extra"}, {"--case", "a"}, {"--case", "a,b,all", "--memories", "-1"}} {
		if _, err := parseSettings(args, io.Discard); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
	s, err := parseSettings([]string{"--case", "a,b,all", "--case", "c,,names"}, io.Discard)
	if err != nil || len(s.cases) != 2 || s.rounds != 3 || s.memories != 40 || s.workers != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// played is a round in which CRFsuite takes that many seconds and hide one.
func played(seconds float64) round {
	one := 1.0
	r := round{Plain: suiteRun{CPU: seconds, Evaluations: 1000, ToCPU: &seconds, Objective: 100}}
	r.One.PassCPU = 0.5
	r.One.Train.Objective = 101
	r.One.Train.ToCPU = &one
	return r
}

func TestRatiosAreWithinRounds(t *testing.T) {
	c := caseResult{Rounds: []round{played(30), played(10), played(20)}}
	c.Rounds[1].One.Train.ToCPU = nil
	c.summarize()
	want := []ratio{
		{comparisons[0].name, 3, 20, 40, 60},
		{comparisons[2].name, 2, 20, 25, 30},
		{comparisons[6].name, 3, 1.01, 1.01, 1.01},
	}
	if !slices.Equal(c.Ratios, want) {
		t.Errorf("%+v", c.Ratios)
	}
}

func TestTableLeavesOutWhatIsNotKnown(t *testing.T) {
	c := caseResult{caseSpec: caseSpec{"a", "b", "all"}, Rounds: []round{played(30)}}
	c.summarize()
	var b strings.Builder
	c.write(&b)
	for _, bad := range []string{"NaN", "Inf", "| 0 |", "| 0.00", "%!"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("it says %q:\n%s", bad, b.String())
		}
	}
	if !strings.Contains(b.String(), "| to 0.01 %, processor time, s | 30.00 |  | 1.00 |  |\n") {
		t.Errorf("no time:\n%s", b.String())
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}} {
		if got := median(test.values); math.Abs(got-test.want) > 0 {
			t.Errorf("%v: %v, want %v", test.values, got, test.want)
		}
	}
}
