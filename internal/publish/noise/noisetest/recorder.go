// SPDX-License-Identifier: Apache-2.0

// Package noisetest tells tests what noise was asked for.
package noisetest

import (
	"fmt"
	"math"
	"testing"

	"hide/internal/publish/noise"
)

// Draws are consecutive counts that got noise of one kind.
type Draws struct {
	Sensitivity int64
	Epsilon     float64
	Counts      int
}

// Recorder is a [noise.Source] that adds nothing and notes what was asked for.
type Recorder struct{ Draws []Draws }

var _ noise.Source = (*Recorder)(nil)

// Add gives count back.
func (r *Recorder) Add(count, sensitivity int64, epsilon float64) (int64, error) {
	last := len(r.Draws) - 1
	if last < 0 || r.Draws[last].Sensitivity != sensitivity || r.Draws[last].Epsilon != epsilon {
		r.Draws, last = append(r.Draws, Draws{sensitivity, epsilon, 0}), last+1
	}
	r.Draws[last].Counts++
	return count, nil
}

// Expect fails the test unless draws were these, neighbours of one kind added up.
func (r *Recorder) Expect(t testing.TB, what string, want ...Draws) {
	t.Helper()
	said := fmt.Sprintf("%s: drew %+v, want %+v", what, r.Draws, want)
	var sum []Draws
	for _, w := range want {
		if last := len(sum) - 1; last >= 0 && sum[last].Sensitivity == w.Sensitivity && sum[last].Epsilon == w.Epsilon {
			sum[last].Counts += w.Counts
			continue
		}
		sum = append(sum, w)
	}
	if len(sum) != len(r.Draws) {
		t.Error(said)
		return
	}
	for i, w := range sum {
		d := r.Draws[i]
		if d.Sensitivity != w.Sensitivity || d.Counts != w.Counts || math.Abs(d.Epsilon-w.Epsilon) > 1e-12 {
			t.Error(said)
			return
		}
	}
}

// Plus is a [noise.Source] that adds itself: what is less than it has got no noise.
type Plus int64

var _ noise.Source = Plus(0)

// Add gives more than count.
func (p Plus) Add(count, _ int64, _ float64) (int64, error) { return count + int64(p), nil }
