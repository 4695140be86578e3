// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A single wrong number is found at any place, and nothing else is reported.
func TestDirectionsThatDifferAnywhereDoNotAgree(t *testing.T) {
	c := newCheck[float32](NewLayout(1))
	spoil := map[string]func(a, b, z *float32){
		"none":             func(_, _, _ *float32) {},
		"a little":         func(_, b, _ *float32) { *b *= 1 + 2e-5 },
		"too great":        func(_, b, _ *float32) { *b *= 1 + 3e-4 },
		"too small":        func(_, b, _ *float32) { *b *= 1 - 3e-4 },
		"not a number":     func(_, b, _ *float32) { *b = float32(math.NaN()) },
		"nothing":          func(a, b, _ *float32) { *a, *b = 0, 0 },
		"too small for it": func(a, b, _ *float32) { *a, *b = *a*1e-33, *b*1e-33 },
	}
	for _, n := range []int{1, 2, 8, 9, 10, 16, 17, 18, 25, 100} {
		for at := 1; at < max(n, 2); at++ {
			for name, spoil := range spoil {
				a, b, z := directions(uint64(n), n)
				if at < n {
					spoil(&a[at], &b[at], &z[at])
				}
				want := at >= n || name == "none" || name == "a little"
				for kind, got := range map[string]bool{
					Name():   c.agree(a, b, z),
					"scalar": agree(a, b, z, float32(c.limit.tolerance), float32(c.limit.least)),
				} {
					if got != want {
						t.Fatalf("%s, token %d of %d is %s: agree returns %t", kind, at, n, name, got)
					}
				}
			}
		}
	}
	a, b, z := directions(1, 20)
	for _, bad := range []float32{0, -1, 1e37, float32(math.NaN())} {
		z[0] = bad
		if c.agree(a, b, z) {
			t.Errorf("agree accepts a first sum of %g", bad)
		}
	}
}

// directions returns factors and sums that agree.
func directions(seed uint64, n int) (a, b, z []float32) {
	random := rand.New(rand.NewPCG(seed, 4))
	a, b, z = make([]float32, n), make([]float32, n), make([]float32, n)
	z[0] = 1
	for t := 1; t < n; t++ {
		a[t], b[t] = float32(math.Exp2(float64(random.IntN(9)-4))), float32(0.5+random.Float64())
		z[t] = z[t-1] * a[t] / b[t]
	}
	return a, b, z
}
