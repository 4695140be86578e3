// SPDX-License-Identifier: Apache-2.0

package parallel

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var onlyPlace = regexp.MustCompile(`^panic at [a-z_]+\.go:\d+: (a value of type string|runtime error: .*)$`)

func TestParallelDoesEachOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		done := make([]atomic.Int32, 100)
		if err := Do(t.Context(), workers, len(done), func(_, i int) { done[i].Add(1) }); err != nil {
			t.Fatal(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d workers: %d was done %d times", workers, i, n)
			}
		}
	}
}

func TestPanicOfWorkerIsErrorWithoutItsValue(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		var after atomic.Int32
		err := Do(t.Context(), workers, 1000, func(_, i int) {
			switch {
			case i == 10:
				panic("Seen by Dr. Weiss")
			case i > 10:
				after.Add(1)
				time.Sleep(time.Millisecond)
			}
		})
		if err == nil || !onlyPlace.MatchString(err.Error()) || !strings.Contains(err.Error(), "parallel_test.go") {
			t.Errorf("%d workers: error is %v", workers, err)
		}
		if after.Load() > 900 {
			t.Errorf("%d workers: %d were begun after the panic", workers, after.Load())
		}
	}
}

func TestPanicOfLowestIndexCounts(t *testing.T) {
	both := make(chan struct{}) // closed when both are begun
	var begun atomic.Int32
	meet := func() {
		if begun.Add(1) == 2 {
			close(both)
		}
		<-both
	}
	err := Do(context.Background(), 2, 2, func(_, i int) {
		meet()
		if i == 1 {
			panic("at once")
		}
		time.Sleep(10 * time.Millisecond)
		late()
	})
	if where := panicOf(late); err == nil || err.Error() != where {
		t.Errorf("error is %v, want %s", err, where)
	}
}

func late() { panic("later") }

func panicOf(fn func()) string { return Guard(func() error { fn(); return nil }).Error() }

func TestGuardTurnsAPanicIntoAnError(t *testing.T) {
	failed := errors.New("failed")
	if err := Guard(func() error { return failed }); err != failed {
		t.Errorf("got %v", err)
	}
	done := make(chan error)
	go func() { done <- Guard(func() error { panic("Seen by Dr. Weiss") }) }()
	var p *PanicError
	if err := <-done; !errors.As(err, &p) || !strings.HasPrefix(p.Where, "parallel_test.go:") || strings.Contains(err.Error(), "Weiss") {
		t.Errorf("got %v", err)
	}
}
