// SPDX-License-Identifier: Apache-2.0

// Package job runs long work in the background: training after each finished
// note, sanitizing, publishing.
//
// Work is submitted under a key, such as "p1/train". Of one key at most one job
// runs and at most one waits; submitting again replaces the one that waits,
// because the newest snapshot of the data is the one worth working on. Jobs of
// different keys run side by side.
//
//	r := job.New()
//	j := r.Submit("p1/train", func(ctx context.Context) error { return train(ctx) })
//	<-j.Done()
//	err := j.Err()
//	...
//	err = r.Close(ctx)
//
// A job learns through its context that it is no longer wanted and should return
// within 100 ms. What a job reports while it works is its own affair: the
// function closes over whatever it tells. A panic in a job ends that job only,
// as a [*parallel.PanicError] that says where it happened and never what was in
// hand: the value of a panic may quote a note. [parallel.Guard] does the same for
// any goroutine.
//
// # Caveats
//
// Nothing here survives the process. Who needs to know after a restart what was
// running writes it down before submitting.
package job

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"hide/internal/parallel"
)

// Job is one piece of work. Safe for concurrent use.
type Job struct {
	fn     func(context.Context) error
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	err    error // written before done is closed
}

func newJob(fn func(context.Context) error) *Job {
	ctx, cancel := context.WithCancel(context.Background())
	return &Job{fn: fn, ctx: ctx, cancel: cancel, done: make(chan struct{})}
}

// Done is closed when the job has returned, or will never run.
func (j *Job) Done() <-chan struct{} { return j.done }

// Err is nil until Done is closed, then what the function returned, or why it
// never ran.
func (j *Job) Err() error {
	select {
	case <-j.done:
		return j.err
	default:
		return nil
	}
}

func (j *Job) finish(err error) {
	j.err = err
	j.cancel()
	close(j.done)
}

// errExited is the error of a job that ended its goroutine.
var errExited = errors.New("job ended without returning")

// call runs the function with [parallel.Guard], on a goroutine of its own, so that one
// which calls runtime.Goexit ends only itself.
func (j *Job) call() error {
	result := make(chan error, 1)
	go func() {
		err := errExited
		defer func() { result <- err }()
		err = parallel.Guard(func() error { return j.fn(j.ctx) })
	}()
	return <-result
}

// Errors of jobs that never ran.
var (
	// ErrReplaced is the error of a job that waited when a newer one came.
	ErrReplaced = errors.New("replaced by a newer job")
	// ErrClosed is the error of a job submitted to a closed runner, or waiting in one.
	ErrClosed = errors.New("shutting down")
)

// Runner runs jobs. The zero value is ready. Safe for concurrent use.
type Runner struct {
	mu     sync.Mutex       // guards what follows
	lanes  map[string]*lane // by key; present while a job of the key runs
	closed bool
}

// lane is the work of one key.
type lane struct {
	running *Job
	queued  *Job // nil when nothing waits
}

// New returns a runner with nothing to do.
func New() *Runner { return &Runner{} }

// Submit runs fn now when nothing of this key runs, else after what runs, in
// place of what has been waiting, which ends with [ErrReplaced]. It does not
// block.
func (r *Runner) Submit(key string, fn func(ctx context.Context) error) *Job {
	j := newJob(fn)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		j.finish(ErrClosed)
		return j
	}
	l, busy := r.lanes[key]
	if !busy {
		r.start(key, j)
		return j
	}
	if l.queued != nil {
		l.queued.finish(ErrReplaced)
	}
	l.queued = j
	return j
}

// start begins the lane of a key. The caller holds mu.
func (r *Runner) start(key string, j *Job) {
	if r.lanes == nil {
		r.lanes = map[string]*lane{}
	}
	r.lanes[key] = &lane{running: j}
	go func() {
		for j != nil {
			err := j.call()
			next := r.advance(key)
			j.finish(err)
			j = next
		}
	}()
}

// advance moves the waiting job of a key up and returns it, or ends the lane.
func (r *Runner) advance(key string) *Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lanes[key]
	l.running, l.queued = l.queued, nil
	if l.running == nil {
		delete(r.lanes, key)
	}
	return l.running
}

// Cancel ends the context of the key's running job and drops the waiting one,
// whose error is [context.Canceled]. It does not wait.
func (r *Runner) Cancel(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l, busy := r.lanes[key]; busy {
		l.drop(context.Canceled)
	}
}

func (l *lane) drop(why error) {
	l.running.cancel()
	if l.queued != nil {
		l.queued.finish(why)
		l.queued = nil
	}
}

// State says whether a job of the key runs and whether another waits. A job
// whose Done is closed counts as neither.
func (r *Runner) State(key string) (running, queued bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, busy := r.lanes[key]
	return busy, busy && l.queued != nil
}

// Close refuses new jobs, drops the waiting ones, cancels the running ones and
// waits until they have returned or ctx ends. It may be called again to go on
// waiting.
func (r *Runner) Close(ctx context.Context) error {
	running := r.shut()
	for i, j := range running {
		select {
		case <-j.Done():
		case <-ctx.Done():
			return fmt.Errorf("wait for %d running jobs: %w", len(running)-i, ctx.Err())
		}
	}
	return nil
}

func (r *Runner) shut() []*Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var running []*Job
	for _, l := range r.lanes {
		l.drop(ErrClosed)
		running = append(running, l.running)
	}
	return running
}
