// SPDX-License-Identifier: Apache-2.0

package parallel

import (
	"context"
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
