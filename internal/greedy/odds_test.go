// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"testing"
)

func TestLogOddsStopAtTheSurest(t *testing.T) {
	for _, c := range []struct{ p, surest, want float64 }{
		{.5, 1e-6, 0}, {.75, 1e-6, math.Log(3)}, {0, 1e-6, -math.Log(1e6 - 1)}, {1, 1e-6, math.Log(1e6 - 1)},
		{0, 0, math.Inf(-1)}, {1, 0, math.Inf(1)},
	} {
		if got := LogOdds(c.p, c.surest); got != c.want && !(math.Abs(got-c.want) < 1e-9) {
			t.Errorf("LogOdds(%g, %g) = %g, want %g", c.p, c.surest, got, c.want)
		}
	}
	for _, p := range []float64{1e-5, .2, .5, .999} {
		if got := Logistic(LogOdds(p, 0)); !(math.Abs(got-p) <= 1e-12) {
			t.Errorf("of %g comes back %g", p, got)
		}
	}
}
