// SPDX-License-Identifier: Apache-2.0

package study

import (
	"math"
	"testing"

	"hide/internal/greedy"
)

// Example 1 of tkde: 26 words, B = 20, U_A*/U_A = 1.11.
func TestUtilityOfThePapersExample(t *testing.T) {
	c := greedy.Counts{TP: 3, FP: 6, TN: 15, FN: 2}
	if got := Prioritized(c, 20) / Uniform(c, 20); math.Abs(got-1.11) > .01 {
		t.Errorf("got %g, want 1.11", got)
	}
	if got, want := Prioritized(c, 20)/Uniform(c, 20), greedy.Gain(c, 20); math.Abs(got-want) > 1e-12 {
		t.Errorf("got %g, the gain is %g", got, want)
	}
}

func TestUtilityAtTheEnds(t *testing.T) {
	c := greedy.Counts{TP: 3, FP: 6, TN: 15, FN: 2}
	for _, tc := range []struct {
		name      string
		got, want float64
	}{
		{"a third of what is marked", Prioritized(c, 3), 1},
		{"all that is marked", Prioritized(c, 9), 3},
		{"everything, marked first", Prioritized(c, 26), 5},
		{"more than there is", Prioritized(c, 99), 5},
		{"everything at random", Uniform(c, 26), 5},
		{"more at random", Uniform(c, 99), 5},
		{"nothing published", Uniform(greedy.Counts{}, 5) + Prioritized(greedy.Counts{}, 5), 0},
	} {
		if math.Abs(tc.got-tc.want) > 1e-12 {
			t.Errorf("%s: got %g, want %g", tc.name, tc.got, tc.want)
		}
	}
}
