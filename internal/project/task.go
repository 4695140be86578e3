// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"sync"

	"hide/internal/job"
	"hide/internal/parallel"
)

// Task is long work of one kind on one project, such as a sanitizing run. S is its state
// for pages: the progress while it runs, and the outcome afterwards. At most one runs at
// a time. Watchers of the project are notified when S changes.
//
//	if !t.Claim(state) {
//		return Stalef("wait for it, or cancel it first", "a release is being written")
//	}
//	t.Start(work, func(s *state, err error) { s.Error = Failure(err, "it was cancelled", "it failed: ") })
//
// A task whose newest request replaces earlier ones starts with [Task.Enqueue], which
// lets the running work end, or with [Task.Restart], which cancels it.
type Task[S any] struct {
	runner *job.Runner
	key    string
	tell   func()
	turn   chan struct{} // one slot, taken while Restart waits and submits

	mu     sync.RWMutex // guards what follows
	state  S
	busy   bool     // claimed and not ended
	newest *job.Job // may have ended; nil before the first
}

// NewTask makes a task that has not run yet. The kind distinguishes the tasks of a
// project. Changes of the state are reported under the topic.
func NewTask[S any](ws *Workspace, kind string, topic Topic) *Task[S] {
	return &Task[S]{
		runner: ws.service.jobs, key: kind + "/" + string(ws.ID), turn: make(chan struct{}, 1),
		tell: func() { ws.service.Tell(ws.ID, topic) },
	}
}

// Claim reserves the task for the caller, with this state. It returns false while the
// task is claimed or runs. [Task.Drop] ends a claim, and so does the end of the work that
// [Task.Start] starts.
func (t *Task[S]) Claim(s S) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy {
		return false
	}
	t.busy, t.state = true, s
	return true
}

// Drop ends a claim without starting anything.
func (t *Task[S]) Drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none S
	t.busy, t.state = false, none
}

// Start runs the work of a claimed task. After the work, end records in the state how it
// ended; only then can the task be claimed again.
func (t *Task[S]) Start(work func(context.Context) error, end func(*S, error)) {
	_ = t.ended(context.Background()) // its state says so already: it is about to leave the runner
	t.submit(work, end)
}

// Restart cancels the running work, waits for its end until ctx ends, and starts the task
// with a new state.
func (t *Task[S]) Restart(ctx context.Context, s S, work func(context.Context) error, end func(*S, error)) error {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	t.Cancel()
	if err := t.ended(ctx); err != nil {
		return err
	}
	t.Claim(s)
	t.submit(work, end)
	return nil
}

// Enqueue runs the work now, or after the running work, replacing any waiting work. The
// state stays unchanged until the work changes it.
func (t *Task[S]) Enqueue(work func(context.Context) error, end func(*S, error)) {
	j := t.submit(work, end)
	go func() {
		<-j.Done()
		t.tell() // nothing is pending any more
	}()
}

func (t *Task[S]) submit(work func(context.Context) error, end func(*S, error)) *job.Job {
	run := func(ctx context.Context) error {
		t.mu.Lock()
		t.busy = true
		t.mu.Unlock()
		err := job.Cause(ctx, parallel.Guard(func() error { return work(ctx) }))
		t.end(end, err)
		return err
	}
	// The job must be the newest before it can end. Otherwise the next Start waits for an
	// older one and its own job is queued behind this one, where Cancel drops it unseen.
	t.mu.Lock()
	j := t.runner.Submit(t.key, run)
	t.newest = j
	t.mu.Unlock()
	if errors.Is(j.Err(), job.ErrClosed) {
		t.end(end, j.Err())
	}
	t.tell()
	return j
}

func (t *Task[S]) end(end func(*S, error), err error) {
	t.mu.Lock()
	end(&t.state, err)
	t.busy = false
	t.mu.Unlock()
	t.tell()
}

// ended waits until the newest job has left the runner.
func (t *Task[S]) ended(ctx context.Context) error {
	t.mu.RLock()
	j := t.newest
	t.mu.RUnlock()
	if j == nil {
		return nil
	}
	select {
	case <-j.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Change changes the state. The function must not keep the pointer.
func (t *Task[S]) Change(change func(*S)) {
	t.mu.Lock()
	change(&t.state)
	t.mu.Unlock()
	t.tell()
}

// Stop cancels the running work, drops the waiting work, and waits for the end until ctx
// ends.
func (t *Task[S]) Stop(ctx context.Context) error {
	t.Cancel()
	return t.Wait(ctx)
}

// State is a copy of the state, and whether the task is claimed or runs.
func (t *Task[S]) State() (s S, busy bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.state, t.busy
}

// Pending says whether work of the task is still in the runner, and whether more is
// waiting.
func (t *Task[S]) Pending() (busy, waiting bool) { return t.runner.State(t.key) }

// Wait waits until no work of the task is in the runner, or until ctx ends.
func (t *Task[S]) Wait(ctx context.Context) error {
	for {
		running := t.runner.Running(t.key)
		if running == nil {
			return ctx.Err()
		}
		select {
		case <-running.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Cancel ends the context of the running work and drops the waiting work. It does not
// wait.
func (t *Task[S]) Cancel() { t.runner.Cancel(t.key) }

// Failure states how work ended: "" on success, otherwise that it was cancelled, or that
// it failed and why.
func Failure(err error, cancelled, failed string) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return cancelled
	}
	return failed + ErrorWords(err)
}
