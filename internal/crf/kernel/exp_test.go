// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"math"
	"testing"
)

func TestExp32IsExactToTheLastBits(t *testing.T) {
	for x := float32(-87); x <= 0; x += 1.0 / 1024 {
		want := math.Exp(float64(x))
		if got := float64(exp32(x)); math.Abs(got-want) > 2e-7*want {
			t.Fatalf("exp(%g) is %g, want %g", x, got, want)
		}
	}
	if v := exp32(float32(math.NaN())); v == v {
		t.Errorf("exp of what is not a number is %g", v)
	}
}
