// SPDX-License-Identifier: Apache-2.0

// Package parallel runs pieces of the same work on several processors. A panic in
// one piece becomes an error: it does not end the program, and the error does not
// quote the data that the piece worked on.
package parallel

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Do calls do(worker, i) for every i in [0, n), each once, on up to workers
// goroutines. It returns when every call that was started has ended. After ctx is
// cancelled, or after a call panics, no further call is started. Do returns the
// panic of the lowest i as an error. The result of a call must depend on i alone;
// worker only selects scratch space.
func Do(ctx context.Context, workers, n int, do func(worker, i int)) error {
	c := &claims{n: n, do: do}
	if workers = min(workers, n); workers <= 1 {
		c.work(ctx, 0)
		return c.end(ctx)
	}
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() { c.work(ctx, worker) })
	}
	wait.Wait()
	return c.end(ctx)
}

// claims gives each i to one worker, in order. A worker that has an i calls do for
// it, even if another call has failed meanwhile. So the lowest i that fails is the
// same for any number of workers.
type claims struct {
	n    int
	do   func(worker, i int)
	next atomic.Int64

	mu     sync.Mutex // guards what follows
	failed int        // i of err
	err    error
}

func (c *claims) work(ctx context.Context, worker int) {
	for ctx.Err() == nil {
		i := int(c.next.Add(1)) - 1
		if i >= c.n {
			return
		}
		if err := Guard(func() error { c.do(worker, i); return nil }); err != nil {
			c.fail(i, err)
			return
		}
	}
}

func (c *claims) fail(i int, err error) {
	c.next.Store(int64(c.n))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil || i < c.failed {
		c.failed, c.err = i, err
	}
}

// end is called when all workers are done.
func (c *claims) end(ctx context.Context) error {
	if c.err != nil {
		return c.err
	}
	return ctx.Err()
}

// PanicError says that a function called by [Guard] panicked. It gives the place.
// It gives the text of errors of the Go runtime only: any other value may quote a
// document.
type PanicError struct {
	Where string // "file.go:12"
	What  string
}

func (p *PanicError) Error() string { return fmt.Sprintf("panic at %s: %s", p.Where, p.What) }

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

func panicError(v any) *PanicError {
	p := &PanicError{Where: panicPlace(), What: fmt.Sprintf("a value of type %T", v)}
	if e, ok := v.(runtime.Error); ok {
		p.What = e.Error()
	}
	return p
}

// panicPlace is the file and line of the first frame below the panic that is not
// the runtime's. It works in a deferred function only.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	below := false
	for {
		f, more := frames.Next()
		if below && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		below = below || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
