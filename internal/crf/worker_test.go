// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"regexp"
	"testing"
	"time"
)

var onlyPlace = regexp.MustCompile(`^panic at [a-z_]+\.go:\d+: (a value of type string|runtime error: .*)$`)

// TestTrainingReturnsThePanicOfAWorker corrupts numbers that only workers read.
func TestTrainingReturnsThePanicOfAWorker(t *testing.T) {
	docs, _ := notes(1, 20)
	for _, workers := range []int{1, 2} {
		o := Options{Workers: workers}.withDefaults()
		f := fitting{data: datasetOf(t, docs, o), options: o, took: o.Stopwatch(), room: &room[float32]{}}
		f.data.places[0] = 1 << 15
		if _, err := f.fit(t.Context(), make([]float32, f.data.weights())); err == nil || !onlyPlace.MatchString(err.Error()) {
			t.Errorf("%d workers: error is %v", workers, err)
		}
	}
}

func TestPanicInAVectorOperationEndsTheMinimisation(t *testing.T) {
	const n = 3 * vectorPiece
	h := history[float32]{workers: 2, pairs: []*pair{newPair(n - 1)}}
	if err := h.direct(t.Context(), make([]float32, n), make([]float32, n)); err == nil || !onlyPlace.MatchString(err.Error()) {
		t.Errorf("error is %v", err)
	}
}

func TestTimesComeFromTheClockGiven(t *testing.T) {
	docs, _ := notes(1, 12)
	if _, stats := train(t, docs, Options{MaxIterations: 3}); stats.Seconds != 0 {
		t.Errorf("without a clock it took %g s", stats.Seconds)
	}
	var clock time.Time
	o := Options{MaxIterations: 3, Now: func() time.Time { clock = clock.Add(time.Second); return clock }}
	o.Progress = func(i Iteration) {
		if i.Seconds != float64(i.Number) {
			t.Errorf("iteration %d after %g s", i.Number, i.Seconds)
		}
	}
	if _, stats := train(t, docs, o); stats.Seconds != float64(stats.Number+1) {
		t.Errorf("it took %g s, %d iterations", stats.Seconds, stats.Number)
	}
	groups := []string{"a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"}
	o.Progress = nil
	c, err := CrossValidate(t.Context(), views(docs), groups, 2, 1, o)
	if err != nil || c.Tagging != 12*time.Second {
		t.Errorf("tagging took %s: %v", c.Tagging, err)
	}
	o.Now = nil
	if c, err := CrossValidate(t.Context(), views(docs), groups, 2, 1, o); err != nil || c.Tagging != 0 {
		t.Errorf("without a clock tagging took %s: %v", c.Tagging, err)
	}
}
