// SPDX-License-Identifier: Apache-2.0

package parallel

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestQueueReturnsResultsInOrder puts and takes at random, beside a plain list.
func TestQueueReturnsResultsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		b := Bound{Workers: 1 + rng.IntN(8), Items: 1 + rng.IntN(10), Bytes: 1 + rng.IntN(50)}
		q := NewQueue[int](b)
		var sizes []int // of what is in the queue
		put, taken, bytes := 0, 0, 0
		for range 200 {
			if q.Len() != len(sizes) || q.Full() != (len(sizes) >= b.Items || bytes >= b.Bytes) {
				t.Fatalf("%+v: %d pieces with %d bytes, the queue says %d, full %v", b, len(sizes), bytes, q.Len(), q.Full())
			}
			if len(sizes) > 0 && (q.Full() || rng.IntN(3) == 0) {
				if got, err := q.Take(); err != nil || got != taken {
					t.Fatalf("%+v: took %d, %v, want %d", b, got, err, taken)
				}
				taken, bytes, sizes = taken+1, bytes-sizes[0], sizes[1:]
				continue
			}
			n, size, wait := put, rng.IntN(30), rng.IntN(50)
			q.Put(size, func() (int, error) {
				for range wait {
					runtime.Gosched()
				}
				return n, nil
			})
			put, bytes, sizes = put+1, bytes+size, append(sizes, size)
		}
		q.Close()
	}
}

func TestQueueWorksOnSoManyPieces(t *testing.T) {
	for _, workers := range []int{1, 3} {
		q := NewQueue[int](Bound{Workers: workers})
		var mu sync.Mutex
		now, most := 0, 0
		together := make(chan struct{}) // closed when all workers have work
		begin := func() {
			mu.Lock()
			defer mu.Unlock()
			if now++; now > most {
				if most = now; most == workers {
					close(together)
				}
			}
		}
		for range 20 {
			q.Put(1, func() (int, error) {
				begin()
				<-together
				mu.Lock()
				defer mu.Unlock()
				now--
				return 0, nil
			})
		}
		for q.Len() > 0 {
			if _, err := q.Take(); err != nil {
				t.Error(err)
			}
		}
		q.Close()
		if most != workers {
			t.Errorf("%d pieces at a time, want %d", most, workers)
		}
	}
}

func TestClosedQueueKeepsWhatWasBegun(t *testing.T) {
	q := NewQueue[int](Bound{Workers: 1})
	begun, held := make(chan struct{}), make(chan struct{})
	q.Put(1, func() (int, error) { return 1, nil })
	q.Put(1, func() (int, error) { close(begun); <-held; return 2, nil })
	q.Put(1, func() (int, error) { t.Error("work was begun after the end"); return 3, nil })
	<-begun
	closed := make(chan struct{})
	go func() { q.Close(); close(closed) }()
	for !q.closed.Load() {
		time.Sleep(time.Millisecond)
	}
	close(held)
	<-closed
	for want := range 2 {
		if got, err := q.Take(); err != nil || got != want+1 {
			t.Errorf("took %d, %v", got, err)
		}
	}
	if q.Len() != 0 || q.Oldest() != nil || q.Ready() {
		t.Errorf("%d pieces are left", q.Len())
	}
	q.Close() // again, without effect
}

func TestQueueReturnsErrorsAndPanicsInTheirPlace(t *testing.T) {
	q := NewQueue[int](Bound{Workers: 4})
	defer q.Close()
	failed := errors.New("failed")
	q.Put(0, func() (int, error) { return 1, nil })
	q.Put(0, func() (int, error) { return 0, failed })
	q.Put(0, func() (int, error) { panic("Seen by Dr. Weiss") })
	q.Put(0, func() (int, error) { return 4, nil })
	<-q.Oldest()
	if n, err := q.Take(); n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := q.Take(); err != failed {
		t.Errorf("got %v", err)
	}
	if _, err := q.Take(); err == nil || !onlyPlace.MatchString(err.Error()) || strings.Contains(err.Error(), "Weiss") {
		t.Errorf("got %v", err)
	}
	if n, err := q.Take(); n != 4 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}
