// SPDX-License-Identifier: Apache-2.0

package greedy

import "context"

// Parallel runs fn(0) to fn(n-1), at most workers at a time, waits for those it
// started, and returns the error of the lowest index that is not a cancellation.
// A panic of fn is an error; after an error nothing further is started. fn writes
// its result to a place of its own, so that results do not depend on the order.
func Parallel(ctx context.Context, workers, n int, fn func(ctx context.Context, i int) error) error {
	return newPool(max(workers, 1)).each(ctx, n, fn)
}
