// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"context"
	"sync"
	"sync/atomic"
)

// parallel calls do for every i in [0, n), each once, on up to workers goroutines.
// What do computes must depend on i alone. Once ctx ends no further i is begun.
func parallel(ctx context.Context, workers, n int, do func(i int)) error {
	var next atomic.Int64
	work := func() {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			do(i)
		}
	}
	var wait sync.WaitGroup
	for range min(workers, n) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	return ctx.Err()
}
