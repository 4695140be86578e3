// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"

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
