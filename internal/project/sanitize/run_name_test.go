// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"context"
	"strings"
	"testing"

	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
)

func TestARunKeepsTheNameThatItWasGivenWhileItRan(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	ctx := t.Context()
	number, err := b.StartSanitize(ctx, projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2, First: sanitize.NoFirst})
	if err != nil {
		t.Fatal(err)
	}
	const name = "Wärd 7, no detector"
	if err := b.NameRun(ctx, projecttest.Broker, id, number, "  "+name+" "); err != nil {
		t.Fatal(err)
	}
	if r, err := b.Run(ctx, projecttest.Broker, id, number); err != nil || r.Name != name {
		t.Errorf("under way it is called %q, %v", r.Name, err)
	}
	if r := b.FinishedRun(id, number); r.Name != name {
		t.Errorf("finished it is called %q", r.Name)
	}
	if _, err := b.Choose(ctx, projecttest.Broker, id, number, 10); err != nil {
		t.Fatal(err)
	}
	b.Reopen()
	if runs, err := b.Runs(ctx, projecttest.Broker, id); err != nil || runs[0].Name != name || runs[0].Chosen != 10 {
		t.Errorf("the list has %+v, %v", runs, err)
	}
	rows, err := b.Audit(ctx, projecttest.Broker, id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, r := range rows {
		if r.Action == "name run" {
			named++
		}
		if strings.Contains(r.Detail+r.Object, "Wärd") {
			t.Error("the audit trail holds the name")
		}
	}
	if named != 1 {
		t.Errorf("%d audit rows about the naming, want 1", named)
	}
	if err := b.NameRun(ctx, projecttest.Broker, id, number, ""); err != nil {
		t.Fatal(err)
	}
	if r, err := b.Run(ctx, projecttest.Broker, id, number); err != nil || r.Name != "" {
		t.Errorf("without a name it is called %q, %v", r.Name, err)
	}
}

func TestNamesOfRunsAreChecked(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	ctx := t.Context()
	projecttest.WantKind(t, b.NameRun(ctx, projecttest.Broker, id, 1, "first"), project.NotFound)
	projecttest.WantKind(t, b.NameRun(ctx, projecttest.Annotator, id, 1, "first"), project.Forbidden)
	for _, name := range []string{strings.Repeat("x", sanitize.RunNameLimit+1), "two\nlines", "\xff", "bell\a"} {
		projecttest.WantKind(t, b.NameRun(ctx, projecttest.Broker, id, 1, name), project.Invalid)
	}
}

// The list of runs is long to read: who watches it is not woken by each step.
func TestStepsOfARunDoNotTouchTheListOfRuns(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	ctx, stop := context.WithCancel(t.Context())
	events, err := b.Watch(ctx, projecttest.Broker, id)
	if err != nil {
		t.Fatal(err)
	}
	told := map[project.Topic]int{}
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		for {
			select {
			case e := <-events:
				told[e.Topic]++
			case <-ctx.Done():
				return
			}
		}
	}()
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{1, 10}, Folds: 2, First: sanitize.NoFirst})
	if err != nil {
		t.Fatal(err)
	}
	b.FinishedRun(id, number)
	stop()
	<-counted
	if told[project.TopicRuns] > 2 || told[project.TopicSanitize] == 0 {
		t.Errorf("told %v: want at most 2 of runs, and some of the run", told)
	}
}
