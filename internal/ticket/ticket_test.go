// SPDX-License-Identifier: Apache-2.0

package ticket

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestTicketsAreGoodForTheirPurposeAndTime(t *testing.T) {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	box := NewBox(clock)
	good, err := Seal(box, "step", 10*time.Minute, "anna-secret")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(good, "anna") {
		t.Error("the value is readable")
	}
	if v, err := Open[string](box, "step", good); v != "anna-secret" || err != nil {
		t.Errorf("got %q, %v", v, err)
	}
	for what, ticket := range map[string]string{
		"empty": "", "not base64": "%%%", "cut": good[:20], "changed": "A" + good[1:], "too long": strings.Repeat("A", maxTicket+1), "twice": good + good,
	} {
		if _, err := Open[string](box, "step", ticket); !errors.Is(err, ErrExpired) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := Open[string](box, "other", good); !errors.Is(err, ErrExpired) {
		t.Errorf("another purpose: got %v", err)
	}
	if _, err := Open[string](NewBox(clock), "step", good); !errors.Is(err, ErrExpired) {
		t.Errorf("after a restart: got %v", err)
	}
	now = now.Add(-2 * time.Minute)
	if _, err := Open[string](box, "step", good); !errors.Is(err, ErrExpired) {
		t.Errorf("before it was made: got %v", err)
	}
	now = now.Add(12 * time.Minute)
	if _, err := Open[string](box, "step", good); !errors.Is(err, ErrExpired) {
		t.Errorf("after its time: got %v", err)
	}
}

func TestOfManyAtOnceOneSpendsATicket(t *testing.T) {
	box := NewBox(time.Now)
	ticket, err := Seal(box, "step", time.Minute, 1)
	if err != nil {
		t.Fatal(err)
	}
	var won atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if box.Spend(ticket) == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d spent it", won.Load())
	}
	if _, err := Open[int](box, "step", ticket); !errors.Is(err, ErrExpired) {
		t.Errorf("a spent ticket opens: %v", err)
	}
}
