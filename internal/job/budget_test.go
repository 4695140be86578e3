// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// holds is a job that ends when it is cancelled or released.
func holds(begun chan<- bool, released <-chan bool) func(context.Context) error {
	return func(ctx context.Context) error {
		begun <- true
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-released:
			return nil
		}
	}
}

// TestTheNewestJobEndsWhenMemoryIsUsedUp: garbage does not count, jobs end one at a time, and
// the memory in use before the first job is not theirs.
func TestTheNewestJobEndsWhenMemoryIsUsedUp(t *testing.T) {
	var live, garbage atomic.Int64
	live.Store(1000)
	r := New()
	r.LimitMemory(100)
	r.budget.heap = func(gc bool) int64 {
		if gc {
			garbage.Store(0)
		}
		return live.Load() + garbage.Load()
	}
	begun, released := make(chan bool), make(chan bool)
	old := r.Submit("old", holds(begun, released))
	<-begun
	young := r.Submit("young", holds(begun, released))
	<-begun
	check := func(want string, heap, waste int64) {
		t.Helper()
		live.Store(heap)
		garbage.Store(waste)
		r.budget.check()
		for name, j := range map[string]*Job{"old": old, "young": young} {
			if cancelled := j.ctx.Err() != nil; cancelled != (want == name || want == "both") {
				t.Errorf("heap %d and %d: job %s cancelled: %v", heap, waste, name, cancelled)
			}
		}
	}
	check("", 1100, 0)
	check("", 1100, 5000)
	check("young", 1101, 0)
	r.budget.check() // it has not left yet: the older one waits for that
	<-young.Done()
	check("young", 1100, 0)
	check("both", 1101, 0)
	<-old.Done()
	for _, j := range []*Job{old, young} {
		if e, ok := errors.AsType[*MemoryError](j.Err()); !ok || e.Bytes != 100 {
			t.Errorf("ended with %v", j.Err())
		}
	}
	next := r.Submit("next", holds(begun, released)) // what is in use now is the new base
	<-begun
	r.budget.check()
	close(released)
	if <-next.Done(); next.Err() != nil {
		t.Errorf("the next job ended with %v", next.Err())
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAJobThatAllocatesTooMuchEnds measures the real heap.
func TestAJobThatAllocatesTooMuchEnds(t *testing.T) {
	r := New()
	r.LimitMemory(32 << 20)
	greedy := r.Submit("greedy", func(ctx context.Context) error {
		var kept [][]byte
		for ctx.Err() == nil {
			if len(kept) < 1024 { // a fault must not take all memory of the machine
				kept = append(kept, make([]byte, 1<<20))
			}
		}
		return ctx.Err()
	})
	<-greedy.Done()
	if _, ok := errors.AsType[*MemoryError](greedy.Err()); !ok {
		t.Errorf("ended with %v", greedy.Err())
	}
	modest := r.Submit("modest", func(ctx context.Context) error { return ctx.Err() })
	if <-modest.Done(); modest.Err() != nil {
		t.Errorf("the next job ended with %v", modest.Err())
	}
}

// TestACancelledJobIsNotBlamed: only the budget names memory as the cause.
func TestACancelledJobIsNotBlamed(t *testing.T) {
	r := New()
	r.LimitMemory(1 << 40)
	begun := make(chan bool)
	j := r.Submit("job", holds(begun, nil))
	<-begun
	r.Cancel("job")
	if <-j.Done(); !errors.Is(j.Err(), context.Canceled) {
		t.Errorf("ended with %v", j.Err())
	}
}
