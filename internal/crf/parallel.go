// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"sync"
	"sync/atomic"
)

// parallel calls do(worker, i) for every i in [0, n), each once, on up to workers
// goroutines, and returns when all are done. Once ctx is cancelled no further i
// is begun. What do computes must depend on i alone; worker only selects scratch
// space.
func parallel(ctx context.Context, workers, n int, do func(worker, i int)) error {
	if workers = min(workers, n); workers <= 1 {
		for i := 0; i < n && ctx.Err() == nil; i++ {
			do(0, i)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(worker, i)
			}
		})
	}
	wait.Wait()
	return ctx.Err()
}

// piece is the i-th range of n in pieces of size, the last one shorter.
func piece(i, size, n int) (from, to int) { return i * size, min((i+1)*size, n) }

func pieces(size, n int) int { return (n + size - 1) / size }
