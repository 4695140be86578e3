// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"testing"
)

// A larger model may have room for fewer pairs than the last training kept.
func TestHistoryNeverHoldsMoreThanItsLimit(t *testing.T) {
	step := func(h *history[float32], k float32) {
		from := &point[float32]{x: []float32{0, 0}, gradient: []float32{0, 0}}
		to := &point[float32]{x: []float32{1, k}, gradient: []float32{2, 3 * k}}
		if err := h.remember(context.Background(), from, to); err != nil {
			t.Fatal(err)
		}
		if err := h.direct(context.Background(), make([]float32, 2), to.gradient); err != nil {
			t.Fatal(err)
		}
	}
	long := &history[float32]{limit: 5, workers: 1}
	for k := range 7 {
		step(long, float32(k))
	}
	short := &history[float32]{limit: 2, workers: 1}
	past, err := long.last(context.Background(), 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := short.resume(context.Background(), past, []float32{1, 1}); err != nil {
		t.Fatal(err)
	}
	if got, want := short.pairs[1].s[1], long.pairs[4].s[1]; short.len() != 2 || got != want {
		t.Errorf("%d pairs are resumed, the newest step is %v, want 2 and %v", short.len(), got, want)
	}
	for k := range 3 {
		if step(short, float32(k)); short.len() > 2 {
			t.Fatalf("%d pairs in a history of 2", short.len())
		}
	}
}
