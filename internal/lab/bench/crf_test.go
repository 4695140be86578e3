// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"io"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/lab"
)

func TestMeansNameTakesPeopleAndLeavesWhatTheyHave(t *testing.T) {
	for label, want := range map[annotate.Label]bool{
		"NAME": true, "PER": true, "Person": true, "PATIENT": true, "DOCTOR": true, "first-name": true,
		"NOMBRE_SUJETO_ASISTENCIA": true, "NOMBRE_PERSONAL_SANITARIO": true,
		"PERSON_EMAIL": false, "DOMAIN_NAME": false, "PATIENT_ID": false, "HOSPITAL.NAME": false,
		"ID_TITULACION_PERSONAL_SANITARIO": false, "PERCENT": false, "USERNAME": false, "LOC": false, "O": false,
	} {
		if got := meansName(label); got != want {
			t.Errorf("%s: %t, want %t", label, got, want)
		}
	}
}

// trained simulates a training with one evaluation per iteration.
func trained(s *stopwatch, objectives ...float64) {
	o := s.follow(crf.Options{}, lab.Progress(nil).Start("playing"))
	for i, f := range objectives {
		o.Trace.EvaluationStart()
		for began := cpuTime(); cpuTime() == began && began != 0; { // until the processor clock ticks
		}
		o.Trace.EvaluationEnd()
		o.Progress(crf.Iteration{Number: i + 1, Objective: f})
	}
}

func TestStopwatchFindsTheFirstIterationNearAnObjective(t *testing.T) {
	s := startWatch()
	trained(s, 120, 100.02, 100.01, 99)
	for objective, want := range map[float64]int{100.01: 1, 100: 2, 99.5: 3, 99: 3} {
		cpu, wall := s.near(objective, s.first)
		wantCPU, wantWall := s.steps[want].at.since(s.first)
		if cpu == nil || *cpu != wantCPU || *wall != wantWall {
			t.Errorf("near %v not at iteration %d", objective, want+1)
		}
	}
	for _, objective := range []float64{98.9, 0} {
		if cpu, wall := s.near(objective, s.first); cpu != nil || wall != nil {
			t.Errorf("it came near %v", objective)
		}
	}
}

func TestStopwatchCountsPassesWithinTraining(t *testing.T) {
	s := startWatch()
	trained(s, 3, 2, 1)
	if s.evaluations != 3 || s.first.wall.Before(s.called.wall) || s.last.wall.Before(s.first.wall) {
		t.Errorf("%d evaluations between %v and %v", s.evaluations, s.first.wall, s.last.wall)
	}
	if all, _ := s.last.since(s.first); s.passes <= 0 && cpuTime() > 0 || s.passes > time.Duration(all*float64(time.Second))+1 {
		t.Errorf("passes took %v of %v s", s.passes, all)
	}
}

func TestUpToTokensTakesWholeDocuments(t *testing.T) {
	docs := []annotate.Note{{Words: make([]string, 3)}, {Words: make([]string, 3)}, {}, {Words: make([]string, 3)}}
	for n, want := range map[int]int{0: 4, 1: 1, 3: 1, 4: 2, 6: 2, 7: 4, 100: 4} {
		if got := len(upToTokens(docs, n)); got != want {
			t.Errorf("%d tokens: %d documents, want %d", n, got, want)
		}
	}
}

func TestBenchIsInterruptedBetweenItsParts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	docs := []annotate.Note{{Words: []string{"a"}, Sensitive: []bool{true}, SpanOf: []int{0}, Labels: []annotate.Label{"X"}}}
	m, _, err := crf.Train(t.Context(), annotate.Views(docs), crf.Options{MaxIterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := CRFResult{docs: docs, test: docs}
	if b.tag(ctx, m) == nil || b.score(ctx, m) == nil || b.WriteAttributes(ctx, io.Discard) == nil {
		t.Error("a step ignored the cancelled context")
	}
}
