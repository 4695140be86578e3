// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// each runs do(0) to do(n-1), up to workers at a time, and returns the error of
// the lowest index. A panic is an error that tells nothing of what panicked,
// which may quote a note.
func each(ctx context.Context, workers, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	errs := make([]error, n)
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= n || ctx.Err() != nil {
				return
			}
			if errs[i] = guarded(func() error { return do(ctx, i) }); errs[i] != nil {
				cancel()
			}
		}
	}
	var wait sync.WaitGroup
	for range min(workers, n) {
		wait.Go(work)
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func guarded(do func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("detector: a training panicked")
		}
	}()
	return do()
}
