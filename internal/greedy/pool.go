// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"sync"

	"hide/internal/parallel"
)

// pool bounds how many pieces of work run at a time.
type pool chan struct{}

func newPool(workers int) pool { return make(pool, workers) }

// each runs fn(0) to fn(n-1), waits for those it started, and returns the error
// of the lowest index, a real failure before a cancellation. A panic of fn is an
// error. After an error no further piece is started. fn writes its result to a place
// of its own, so that results do not depend on the order.
func (p pool) each(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		p <- struct{}{}
		if errs[i] = ctx.Err(); errs[i] != nil {
			<-p
			break
		}
		running.Go(func() {
			defer func() { <-p }()
			if errs[i] = parallel.Guard(func() error { return fn(ctx, i) }); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	return first(errs)
}

// first prefers a real failure to the cancellations that it caused.
func first(errs []error) error {
	var cancelled error
	for _, err := range errs {
		if err == nil {
			continue
		}
		if !isCancel(err) {
			return err
		}
		if cancelled == nil {
			cancelled = err
		}
	}
	return cancelled
}

// Parallel runs fn(0) to fn(n-1), at most workers at a time, waits for those it
// started, and returns the error of the lowest index that is not a cancellation.
// A panic of fn is an error; after an error nothing further is started. fn writes
// its result to a place of its own, so that results do not depend on the order.
func Parallel(ctx context.Context, workers, n int, fn func(ctx context.Context, i int) error) error {
	return newPool(max(workers, 1)).each(ctx, n, fn)
}
