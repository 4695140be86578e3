// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"math"
	"strings"
	"testing"

	"hide/internal/hint"
)

func scaled(t *testing.T, o ScaleOptions) []scaleRate {
	t.Helper()
	r, err := Scale(t.Context(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Sizes[0].Workers
}

// steady has no chance in it.
var steady = ScaleOptions{Notes: []int{10_000}, Workers: []int{1, 3, 7, 50}, Rate: 1000, Tokens: 100, Bytes: 1000, Shard: 1000, Start: 5, SlowBy: 1, Merge: 1e5, Runs: 1}

// Equal shards are done in rounds, and the merge comes after the last.
func TestWithoutChanceShardsAreDoneInRounds(t *testing.T) {
	for _, r := range scaled(t, steady) {
		shards := max(10, r.Workers)
		attempt := 5 + 10_000/float64(shards)*100/1000
		rounds := math.Ceil(float64(shards) / float64(r.Workers))
		if want := (rounds*attempt + 100) / 3600; r.Shards != shards || math.Abs(r.Hours-want) > 1e-9 {
			t.Errorf("%d workers: %d shards in %v hours, want %d in %v", r.Workers, r.Shards, r.Hours, shards, want)
		}
		if want := (float64(shards)*attempt + 100) / 3600; math.Abs(r.Core-want) > 1e-9 {
			t.Errorf("%d workers: %v core-hours, want %v", r.Workers, r.Core, want)
		}
	}
}

// An attempt fails with probability p at a uniform moment: a shard costs p / (1 - p) half
// attempts more on average.
func TestFailedAttemptsCostWhatTheyShould(t *testing.T) {
	o := steady
	o.Notes, o.Workers, o.Fail, o.Start = []int{5_000_000}, []int{10}, 0.2, 0
	r := scaled(t, o)[0]
	pure := 5_000_000 * 100 / 1000 / 3600.0
	if got, want := (r.Core-r.Merge)/pure, 1+0.2/0.8/2; math.Abs(got-want) > 0.01 {
		t.Errorf("costs %v times the work, want %v", got, want)
	}
}

// Slow machines make everybody wait at the end, but never more than one attempt.
func TestStragglersDelayTheEndByAtMostOneAttempt(t *testing.T) {
	o := steady
	o.Notes, o.Workers, o.Slow, o.SlowBy = []int{1_000_000}, []int{20}, 0.05, 4
	r := scaled(t, o)[0]
	even := (r.Core - r.Merge) / 20
	slowest := (5 + 1000*100/1000.0*4) / 3600
	if got := r.Hours - r.Merge; got < even || got > even+slowest {
		t.Errorf("%v hours, want from %v to %v", got, even, even+slowest)
	}
}

// hide redact refuses as many shards, and their simulation would take gigabytes.
func TestMoreShardsThanThereCanBeAreRefused(t *testing.T) {
	o := steady
	o.Notes, o.Shard = []int{1_000_001}, 1
	if _, err := Scale(t.Context(), o, nil); err == nil || !strings.Contains(err.Error(), "are 1000001 shards, more than 1000000") || hint.Of(err) == "" {
		t.Errorf("got %v", err)
	}
}
