// SPDX-License-Identifier: Apache-2.0

// Package parallel does equal pieces of work on several processors and keeps a
// panic in one of them from ending the program or from telling what it had in
// hand. It knows nothing of what the work is.
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
// goroutines, and returns when all that was begun is done. Once ctx is cancelled,
// or a do panics, no further i is begun; the panic of the lowest i comes back as
// an error. What do computes must depend on i alone; worker only selects scratch
// space.
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

// claims hands out i in order. Who has claimed one does it, whatever becomes of
// others: so the lowest i that fails is the same for any number of workers.
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

// PanicError is the error of what [Guard] called that panicked. It says where and,
// for the errors of the Go runtime, what; never the value of any other panic,
// which may quote a document.
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
