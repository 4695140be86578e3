// SPDX-License-Identifier: Apache-2.0

package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Bound limits the work in a [Queue]. A zero field takes its default.
type Bound struct {
	Workers int // pieces of work at a time; one for each processor
	Items   int // pieces in the queue, from [Queue.Put] to [Queue.Take]; 256
	Bytes   int // their sizes together; 8 MiB
}

const (
	defaultItems = 256
	defaultBytes = 8 << 20
)

// Queue does a stream of work on several processors and returns the results in the order
// of the stream. One goroutine puts work in and takes results out:
//
//	for each item {
//		for q.Full() {
//			<-q.Oldest()
//			write(q.Take())
//		}
//		q.Put(size, func() (R, error) { ... })
//	}
//
// Items and Bytes bound the memory of a stream of any length, because its goroutine asks
// [Queue.Full] before each Put.
type Queue[R any] struct {
	bound   Bound
	work    chan *piece[R]
	waiting []*piece[R] // put in and not taken out, the oldest first
	bytes   int
	closed  atomic.Bool
	workers sync.WaitGroup
}

// piece is one piece of work.
type piece[R any] struct {
	size   int
	do     func() (R, error)
	done   chan struct{} // closed when the result is there, or the piece was dropped
	result R
	err    error
	began  bool
}

// NewQueue starts the workers of a queue. They end with [Queue.Close].
func NewQueue[R any](b Bound) *Queue[R] {
	if b.Workers <= 0 {
		b.Workers = runtime.GOMAXPROCS(0)
	}
	if b.Items <= 0 {
		b.Items = defaultItems
	}
	if b.Bytes <= 0 {
		b.Bytes = defaultBytes
	}
	q := &Queue[R]{bound: b, work: make(chan *piece[R], b.Items)}
	for range min(b.Workers, b.Items) {
		q.workers.Go(q.serve)
	}
	return q
}

func (q *Queue[R]) serve() {
	for p := range q.work {
		if !q.closed.Load() {
			p.began = true
			p.err = Guard(func() (err error) {
				p.result, err = p.do()
				return err
			})
		}
		p.do = nil // it may hold a whole record
		close(p.done)
	}
}

// Full reports whether a result must be taken before more work is put in. One piece is let
// in whatever its size.
func (q *Queue[R]) Full() bool {
	return len(q.waiting) >= q.bound.Items || q.bytes >= q.bound.Bytes
}

// Len is the number of pieces in the queue.
func (q *Queue[R]) Len() int { return len(q.waiting) }

// Put adds a piece of work of this size in bytes. Do runs on another goroutine; a panic of
// it becomes an error, as with [Guard]. The queue must not be full.
func (q *Queue[R]) Put(size int, do func() (R, error)) {
	p := &piece[R]{size: size, do: do, done: make(chan struct{})}
	q.waiting = append(q.waiting, p)
	q.bytes += size
	q.work <- p
}

// Oldest is closed when the oldest piece is done. It is nil, and blocks for ever, when the
// queue is empty.
func (q *Queue[R]) Oldest() <-chan struct{} {
	if len(q.waiting) == 0 {
		return nil
	}
	return q.waiting[0].done
}

// Ready reports whether [Queue.Take] would return without waiting.
func (q *Queue[R]) Ready() bool {
	select {
	case <-q.Oldest():
		return true
	default:
		return false
	}
}

// Take removes the oldest piece and returns its result, when it is there. The queue must
// not be empty.
func (q *Queue[R]) Take() (R, error) {
	p := q.waiting[0]
	<-p.done
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	q.bytes -= p.size
	return p.result, p.err
}

// Close waits for the pieces that workers have begun, and drops the others. The results
// before the first dropped piece can still be taken. Nothing may be put in afterwards.
func (q *Queue[R]) Close() {
	if q.closed.Swap(true) {
		return
	}
	close(q.work)
	q.workers.Wait()
	for i, p := range q.waiting {
		if !p.began {
			clear(q.waiting[i:])
			q.waiting = q.waiting[:i]
			return
		}
	}
}
