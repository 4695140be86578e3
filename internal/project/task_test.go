// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hide/internal/project"
	"hide/internal/project/projecttest"
)

// count is the state of the tasks in these tests.
type count struct {
	steps  int
	failed string
}

func ended(c *count, err error) {
	c.failed = project.Failure(err, "it was cancelled", "it failed: ")
}

func newTask(t *testing.T) (*bench, *project.Task[count]) {
	t.Helper()
	b := newBench(t)
	ws, err := b.Workspace(b.NewProject(projecttest.Plain("one"), false))
	if err != nil {
		t.Fatal(err)
	}
	return b, project.NewTask[count](ws, "test", project.TopicCurves)
}

func (b *bench) idle(task *project.Task[count]) count {
	b.T.Helper()
	b.Wait("the task", func() bool {
		_, busy := task.State()
		pending, _ := task.Pending()
		return !busy && !pending
	})
	s, _ := task.State()
	return s
}

func TestATaskIsClaimedOnceUntilItHasEnded(t *testing.T) {
	b, task := newTask(t)
	if !task.Claim(count{steps: 1}) || task.Claim(count{}) {
		t.Fatal("it is not claimed once")
	}
	task.Drop()
	if s, busy := task.State(); busy || s.steps != 0 {
		t.Errorf("after a claim was given up: %+v, %v", s, busy)
	}
	if !task.Claim(count{}) {
		t.Fatal("it cannot be claimed after a claim was given up")
	}
	task.Start(func(context.Context) error {
		task.Change(func(c *count) { c.steps = 3 })
		return errors.New("no room")
	}, ended)
	if s := b.idle(task); s.steps != 3 || s.failed != "it failed: no room" {
		t.Errorf("ended as %+v", s)
	}
	if !task.Claim(count{}) {
		t.Error("it cannot be claimed after its end")
	}
}

func TestATaskThatPanicsEndsAsFailed(t *testing.T) {
	b, task := newTask(t)
	task.Claim(count{})
	task.Start(func(context.Context) error { panic("Mrs Weiss") }, ended)
	if s := b.idle(task); !strings.HasPrefix(s.failed, "it failed: ") || strings.Contains(s.failed, "Weiss") {
		t.Errorf("ended as %+v", s)
	}
}

func TestARestartCancelsWhatRuns(t *testing.T) {
	b, task := newTask(t)
	var first atomic.Bool
	wait := func(ctx context.Context) error { <-ctx.Done(); first.Store(true); return ctx.Err() }
	if err := task.Restart(t.Context(), count{steps: 1}, wait, ended); err != nil {
		t.Fatal(err)
	}
	if err := task.Restart(t.Context(), count{steps: 2}, func(context.Context) error { return nil }, ended); err != nil {
		t.Fatal(err)
	}
	if s := b.idle(task); !first.Load() || s.steps != 2 || s.failed != "" {
		t.Errorf("ended as %+v, the first one cancelled: %v", s, first.Load())
	}
}

func TestWhoWaitsForARestartCanLeave(t *testing.T) {
	b, task := newTask(t)
	hold := make(chan struct{})
	task.Claim(count{})
	task.Start(func(context.Context) error { <-hold; return nil }, ended)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := task.Restart(ctx, count{steps: 9}, func(context.Context) error { return nil }, ended); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(hold)
	if s := b.idle(task); s.steps == 9 {
		t.Error("what nobody waited for ran")
	}
}

// TestOneTaskRunsUnderLoad claims, restarts, changes, cancels and looks from many
// goroutines: work never overlaps, and each claim that succeeded ran and ended.
func TestOneTaskRunsUnderLoad(t *testing.T) {
	b, task := newTask(t)
	var inside, ran, ends, started atomic.Int64
	work := func(ctx context.Context) error {
		if n := inside.Add(1); n != 1 {
			t.Errorf("%d run at once", n)
		}
		ran.Add(1)
		task.Change(func(c *count) { c.steps++ })
		inside.Add(-1)
		return ctx.Err()
	}
	end := func(c *count, err error) { ends.Add(1); ended(c, err) }
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 100 {
				switch (g + i) % 5 {
				case 0:
					task.Cancel()
				case 1:
					task.State()
				default:
					if task.Claim(count{}) {
						started.Add(1)
						task.Start(work, end)
					}
				}
			}
		})
	}
	all.Wait()
	b.idle(task)
	if started.Load() == 0 || ran.Load() != started.Load() || ends.Load() != started.Load() {
		t.Errorf("started %d, ran %d, ended %d", started.Load(), ran.Load(), ends.Load())
	}
}

func TestATaskOfAClosedServiceEndsAtOnce(t *testing.T) {
	b, task := newTask(t)
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	task.Claim(count{})
	task.Start(func(context.Context) error { t.Error("it ran"); return nil }, ended)
	if s, busy := task.State(); busy || s.failed == "" {
		t.Errorf("%+v, busy %v", s, busy)
	}
}
