// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hide/internal/parallel"
)

// record is the log of jobs of all keys, in order.
type record struct {
	mu    sync.Mutex // guards lines
	lines []string
}

func (r *record) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, ", ")
}

func sleep(d time.Duration, log *record, name string) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			log.add(name)
			return nil
		case <-ctx.Done():
			log.add(name + " cancelled")
			return ctx.Err()
		}
	}
}

func TestNewestWinsTheQueuedPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log record
		r := New()
		first := r.Submit("k", sleep(time.Second, &log, "first"))
		second := r.Submit("k", sleep(time.Second, &log, "second"))
		third := r.Submit("k", sleep(time.Second, &log, "third"))
		if !errors.Is(second.Err(), ErrReplaced) {
			t.Errorf("second: got %v, want %v", second.Err(), ErrReplaced)
		}
		<-first.Done()
		if running, queued := r.State("k"); !running || queued {
			t.Errorf("after the first: running %v, queued %v", running, queued)
		}
		<-third.Done()
		if running, queued := r.State("k"); running || queued {
			t.Errorf("after the last: running %v, queued %v", running, queued)
		}
		if got := log.String(); got != "first, third" {
			t.Errorf("ran %q", got)
		}
	})
}

func TestKeysRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Runner
		start := time.Now()
		wait := func(context.Context) error { time.Sleep(time.Second); return nil }
		a, b := r.Submit("a", wait), r.Submit("b", wait)
		<-a.Done()
		<-b.Done()
		if took := time.Since(start); took != time.Second {
			t.Errorf("two keys took %v", took)
		}
	})
}

func TestErrIsNilUntilDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("failed")
		r := New()
		j := r.Submit("k", func(context.Context) error { time.Sleep(time.Second); return failed })
		if err := j.Err(); err != nil {
			t.Errorf("before: %v", err)
		}
		<-j.Done()
		if err := j.Err(); err != failed {
			t.Errorf("after: %v", err)
		}
	})
}

func TestCancelEndsRunningAndQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log record
		r := New()
		r.Cancel("k") // no job: no effect
		first := r.Submit("k", sleep(time.Hour, &log, "first"))
		second := r.Submit("k", sleep(time.Hour, &log, "second"))
		other := r.Submit("other", sleep(time.Hour, &log, "other"))
		time.Sleep(time.Minute)
		r.Cancel("k")
		<-first.Done()
		<-second.Done()
		if !errors.Is(first.Err(), context.Canceled) || !errors.Is(second.Err(), context.Canceled) {
			t.Errorf("got %v and %v", first.Err(), second.Err())
		}
		after := r.Submit("k", func(ctx context.Context) error { return ctx.Err() })
		<-after.Done()
		if after.Err() != nil {
			t.Errorf("a job after the cancelled one: %v", after.Err())
		}
		<-other.Done()
		if got := log.String(); got != "first cancelled, other" {
			t.Errorf("ran %q", got)
		}
	})
}

func TestCloseCancelsAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New()
		tidy := false
		running := r.Submit("k", func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(50 * time.Millisecond)
			tidy = true
			return ctx.Err()
		})
		queued := r.Submit("k", func(context.Context) error { t.Error("a queued job ran"); return nil })
		if err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !tidy || !errors.Is(running.Err(), context.Canceled) || !errors.Is(queued.Err(), ErrClosed) {
			t.Errorf("tidy %v, running %v, queued %v", tidy, running.Err(), queued.Err())
		}
		late := r.Submit("k", func(context.Context) error { t.Error("a late job ran"); return nil })
		if !errors.Is(late.Err(), ErrClosed) {
			t.Errorf("late: %v", late.Err())
		}
	})
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New()
		stubborn := r.Submit("k", func(context.Context) error { time.Sleep(time.Hour); return nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Errorf("waiting again: %v", err)
		}
		if stubborn.Err() != nil {
			t.Errorf("stubborn: %v", stubborn.Err())
		}
	})
}

func TestPanicBecomesErrorWithoutItsValue(t *testing.T) {
	const note = "Seen by Dr. Weiss"
	var short []int
	cases := []struct {
		name string
		fn   func()
		want string
	}{
		{"text", func() { panic(note) }, "a value of type string"},
		{"error", func() { panic(errors.New(note)) }, "a value of type *errors.errorString"},
		{"runtime", func() { _ = short[3] }, "index out of range [3]"},
	}
	r := New()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := r.Submit("k", func(context.Context) error { c.fn(); return nil })
			<-j.Done()
			var p *parallel.PanicError
			if !errors.As(j.Err(), &p) {
				t.Fatalf("got %v", j.Err())
			}
			if got := p.Error(); !strings.Contains(got, c.want) || strings.Contains(got, "Weiss") {
				t.Errorf("got %q, want %q in it", got, c.want)
			}
			if !strings.HasPrefix(p.Where, "runner_test.go:") {
				t.Errorf("panicked at %q", p.Where)
			}
		})
	}
}

func TestGoexitEndsOnlyItsJob(t *testing.T) {
	r := New()
	first := r.Submit("k", func(context.Context) error { runtime.Goexit(); return nil })
	<-first.Done()
	second := r.Submit("k", func(context.Context) error { return nil })
	<-second.Done()
	if first.Err() != errExited || second.Err() != nil {
		t.Errorf("got %v and %v", first.Err(), second.Err())
	}
}

// TestOneRunsPerKeyUnderLoad submits and cancels from many goroutines. It checks that jobs
// of a key never overlap, that each job ends, and that a completed job has no error.
func TestOneRunsPerKeyUnderLoad(t *testing.T) {
	r := New()
	keys := []string{"a", "b", "c"}
	var inside [3]atomic.Int32
	var ran, submitted atomic.Int32
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			for range 200 {
				k := rng.IntN(len(keys))
				if rng.IntN(10) == 0 {
					r.Cancel(keys[k])
					continue
				}
				submitted.Add(1)
				j := r.Submit(keys[k], func(context.Context) error {
					if n := inside[k].Add(1); n != 1 {
						t.Errorf("%d jobs of one key at once", n)
					}
					ran.Add(1)
					runtime.Gosched()
					inside[k].Add(-1)
					return nil
				})
				if rng.IntN(3) == 0 {
					<-j.Done()
					if err := j.Err(); err != nil && !errors.Is(err, ErrReplaced) && !errors.Is(err, context.Canceled) {
						t.Errorf("got %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ran.Load() == 0 || ran.Load() > submitted.Load() {
		t.Errorf("ran %d of %d", ran.Load(), submitted.Load())
	}
	for _, key := range keys {
		if running, queued := r.State(key); running || queued {
			t.Errorf("key %s is still busy", key)
		}
	}
}
