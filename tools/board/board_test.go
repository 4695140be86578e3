// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"
	"time"
)

// The second move is never shown, because the third came first; the fourth shows what the
// first did.
func TestADelayEndsAtTheFrameThatShowsTheMove(t *testing.T) {
	at := time.Now().Add(-time.Minute)
	after := func(ms int) time.Time { return at.Add(time.Duration(ms) * time.Millisecond) }
	m := &meeting{made: []sight{{"1 100", after(0)}, {"2 100", after(100)}, {"5 100", after(200)}, {"1 100", after(5000)}}}
	seen := []sight{{"1 100", after(40)}, {"5 100", after(260)}, {"1 100", after(5030)}}
	got, skipped := m.delays(seen)
	want := []time.Duration{40 * time.Millisecond, 60 * time.Millisecond, 30 * time.Millisecond}
	if !slices.Equal(got, want) || skipped != 1 {
		t.Errorf("delays %v and %d skipped, want %v and 1", got, skipped, want)
	}
}

func TestPagesAndFramesSayWhereTheSessionIs(t *testing.T) {
	for _, text := range []string{`<div id="review-head" data-stage="open1 3 0">`, `{"content":"\u003cdiv data-stage=\"open1 3 0\"\u003e"}`} {
		if got := stageIn(text); got != "open1 3 0" {
			t.Errorf("%s: stage %q", text, got)
		}
	}
	v := &viewer{}
	v.take(`{"content":"<p id=\"review-shown\" data-lc=\"10\" data-b=\"200\" data-floor=\"u3\">"}`)
	if len(v.seen) != 1 || v.seen[0].at != "10 200" {
		t.Errorf("seen %v", v.seen)
	}
}
