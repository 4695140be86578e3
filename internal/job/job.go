// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
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

// PanicError is the error of a job, or of what [Guard] called, that panicked. It says where and, for the
// errors of the Go runtime, what; never the value of any other panic, which may
// quote a document.
type PanicError struct {
	Where string // "file.go:12"
	What  string
}

func (p *PanicError) Error() string { return fmt.Sprintf("panic at %s: %s", p.Where, p.What) }

// errExited is the error of a job that ended its goroutine.
var errExited = errors.New("job ended without returning")

// Guard calls fn and turns a panic into a [*PanicError]. A panic on a goroutine
// that nobody recovers would end the whole program and print its value.
func Guard(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	return fn()
}

// call runs the function with [Guard], on a goroutine of its own, so that one
// which calls runtime.Goexit ends only itself.
func (j *Job) call() error {
	result := make(chan error, 1)
	go func() {
		err := errExited
		defer func() { result <- err }()
		err = Guard(func() error { return j.fn(j.ctx) })
	}()
	return <-result
}

func panicError(v any) *PanicError {
	p := &PanicError{Where: panicPlace(), What: fmt.Sprintf("a value of type %T", v)}
	if e, ok := v.(runtime.Error); ok {
		p.What = e.Error()
	}
	return p
}

// panicPlace is the first frame below the panic that is not the runtime's.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	below := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if below && !inRuntime {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		below = below || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
