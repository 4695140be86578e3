// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

// MemoryError is the cause of the context of a job that was cancelled because the running
// jobs needed more memory than they may.
type MemoryError struct{ Bytes int64 } // that they may need together

func (e *MemoryError) Error() string {
	return fmt.Sprintf("it was stopped, because long work would have needed more than %d MB of memory together; use fewer notes or simpler settings, wait until other work has ended, or ask the operator for a larger --work-memory", e.Bytes/1e6)
}

// checkMemory is how often the memory of running jobs is measured.
const checkMemory = 50 * time.Millisecond

// budget bounds the memory of the running jobs together: the heap may grow by so much while
// any job runs. When it grows further, the newest job is cancelled, because it came when the
// others already used theirs. Go cannot tell whose memory it is.
type budget struct {
	mu      sync.Mutex
	bytes   int64               // 0: no bound
	heap    func(gc bool) int64 // measures; nil means heapInUse
	base    int64               // heap when the first of the jobs began
	jobs    []*Job              // that run, oldest first
	watched chan struct{}       // closed to end the watch
}

// LimitMemory bounds the memory that running jobs may use together, in bytes. 0 means no
// bound. It is called before the first job.
func (r *Runner) LimitMemory(bytes int64) { r.budget.bytes = bytes }

// enter counts a job as running, until leave is called.
func (b *budget) enter(j *Job) (leave func()) {
	if b.bytes == 0 {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.heap == nil {
		b.heap = heapInUse
	}
	if len(b.jobs) == 0 {
		b.base = b.heap(false)
		b.watched = make(chan struct{})
		go b.watch(b.watched)
	}
	b.jobs = append(b.jobs, j)
	return func() { b.leave(j) }
}

func (b *budget) leave(j *Job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs = slices.DeleteFunc(b.jobs, func(o *Job) bool { return o == j })
	if len(b.jobs) == 0 {
		close(b.watched)
	}
}

func (b *budget) watch(end <-chan struct{}) {
	tick := time.NewTicker(checkMemory)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			b.check()
		case <-end:
			return
		}
	}
}

// check cancels the newest job if too much memory is in use, even after a collection of
// garbage. A job that was cancelled before has time to end first.
func (b *budget) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.jobs) == 0 || b.heap(false)-b.base <= b.bytes {
		return
	}
	newest := b.jobs[len(b.jobs)-1]
	if newest.ctx.Err() != nil || b.heap(true)-b.base <= b.bytes {
		return
	}
	newest.cancel(&MemoryError{b.bytes})
}

// heapInUse is the size of all objects on the heap. gc collects garbage first.
func heapInUse(gc bool) int64 {
	if gc {
		runtime.GC()
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// Cause is the error of a job's work: err, or why the job was cancelled, if it was for its
// memory.
func Cause(ctx context.Context, err error) error {
	if why, ok := errors.AsType[*MemoryError](context.Cause(ctx)); ok && errors.Is(err, context.Canceled) {
		return why
	}
	return err
}
