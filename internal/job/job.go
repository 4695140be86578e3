// SPDX-License-Identifier: Apache-2.0

// Package job runs long work in the background: training after each finished
// note, sanitizing, publishing.
//
// Work is submitted under a key, such as "p1/train". At most one job per key runs and at
// most one waits. Submitting again replaces the waiting job, because only the newest
// snapshot of the data matters. Jobs with different keys run in parallel.
//
//	r := job.New()
//	j := r.Submit("p1/train", func(ctx context.Context) error { return train(ctx) })
//	<-j.Done()
//	err := j.Err()
//	...
//	err = r.Close(ctx)
//
// A job that is no longer wanted is told through its context and should return within
// 100 ms. A job reports its progress itself, through variables of its function. A panic in
// a job ends only that job, with a [*parallel.PanicError]. It says where the panic happened
// but not its value, which may quote a note. [parallel.Guard] does the same for any
// goroutine.
//
// # Caveats
//
// No job survives the process. A caller that must know after a restart which jobs were
// running has to store that before submitting.
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
	cancel context.CancelCauseFunc
	done   chan struct{}
	err    error // written before done is closed
}

func newJob(fn func(context.Context) error) *Job {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Job{fn: fn, ctx: ctx, cancel: cancel, done: make(chan struct{})}
}

// Done is closed when the job has returned or will never run.
func (j *Job) Done() <-chan struct{} { return j.done }

// Err is nil until Done is closed. Then it is the function's error, or the reason why the
// job never ran.
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
	j.cancel(nil)
	close(j.done)
}

// errExited is the error of a job that ended its goroutine.
var errExited = errors.New("job ended without returning")

// call runs the function with [parallel.Guard] on its own goroutine, so that
// runtime.Goexit ends only that goroutine.
func (j *Job) call() error {
	result := make(chan error, 1)
	go func() {
		err := errExited
		defer func() { result <- err }()
		err = Cause(j.ctx, parallel.Guard(func() error { return j.fn(j.ctx) }))
	}()
	return <-result
}

// Errors of jobs that never ran.
var (
	// ErrReplaced is the error of a waiting job that a newer job replaced.
	ErrReplaced = errors.New("replaced by a newer job")
	// ErrClosed is the error of a job that was submitted to a closed runner or waited in it.
	ErrClosed = errors.New("shutting down")
)

// Runner runs jobs. The zero value is ready. Safe for concurrent use.
type Runner struct {
	mu     sync.Mutex       // guards the fields below
	lanes  map[string]*lane // by key; present while a job of the key runs
	closed bool
	budget budget
}

// lane has the jobs of one key.
type lane struct {
	running *Job
	queued  *Job // nil when nothing waits
}

// New returns a runner without jobs.
func New() *Runner { return &Runner{} }

// Submit runs fn now when no job of this key runs, otherwise after the running job. It
// replaces a waiting job, which ends with [ErrReplaced]. It does not block.
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
			leave := r.budget.enter(j)
			err := j.call()
			leave()
			next := r.advance(key)
			j.finish(err)
			j = next
		}
	}()
}

// advance starts the waiting job of a key and returns it, or removes the lane.
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

// Cancel cancels the context of the key's running job and drops the waiting job, whose
// error is [context.Canceled]. It does not wait.
func (r *Runner) Cancel(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l, busy := r.lanes[key]; busy {
		l.drop(context.Canceled)
	}
}

func (l *lane) drop(why error) {
	l.running.cancel(nil)
	if l.queued != nil {
		l.queued.finish(why)
		l.queued = nil
	}
}

// State says whether a job of the key runs and whether another waits. A job whose Done is
// closed counts as neither.
func (r *Runner) State(key string) (running, queued bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, busy := r.lanes[key]
	return busy, busy && l.queued != nil
}

// Running is the running job of a key, nil if none runs.
func (r *Runner) Running(key string) *Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l, busy := r.lanes[key]; busy {
		return l.running
	}
	return nil
}

// Close refuses new jobs, drops waiting jobs, cancels running jobs and waits until they
// have returned or ctx ends. It may be called again to continue waiting.
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

// Waiting lists the keys that have a running job, and whether another waits.
func (r *Runner) Waiting() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make(map[string]bool, len(r.lanes))
	for key, l := range r.lanes {
		all[key] = l.queued != nil
	}
	return all
}
