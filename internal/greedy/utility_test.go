// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"testing"
)

// Example 1 of tkde: 26 words, B = 20, U_A*/U_A = 1.11.
func TestUtilityOfThePapersExample(t *testing.T) {
	c := Counts{TP: 3, FP: 6, TN: 15, FN: 2}
	if got := c.Prioritized(20) / c.Uniform(20); !(math.Abs(got-1.11) <= .01) {
		t.Errorf("got %g, want 1.11", got)
	}
}

func TestUtilityAtTheEnds(t *testing.T) {
	c := Counts{TP: 3, FP: 6, TN: 15, FN: 2}
	for _, tc := range []struct {
		name      string
		got, want float64
	}{
		{"a third of what is marked", c.Prioritized(3), 1},
		{"all that is marked", c.Prioritized(9), 3},
		{"everything, marked first", c.Prioritized(26), 5},
		{"more than there is", c.Prioritized(99), 5},
		{"everything at random", c.Uniform(26), 5},
		{"more at random", c.Uniform(99), 5},
		{"nothing published", Counts{}.Uniform(5) + Counts{}.Prioritized(5), 0},
	} {
		if !(math.Abs(tc.got-tc.want) <= 1e-12) { // nor NaN
			t.Errorf("%s: got %g, want %g", tc.name, tc.got, tc.want)
		}
	}
}
