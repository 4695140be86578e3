// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// exp replaces the numbers at some places, from -87 to 0 in float32, by their
// exponentials.
func exp[F Float](x []F, places []int) {
	switch x := any(x).(type) {
	case []float32:
		for _, j := range places {
			x[j] = exp32(x[j])
		}
	case []float64:
		for _, j := range places {
			x[j] = math.Exp(x[j])
		}
	}
}

// exp32 is as exact as float32 is. With n = round(x / log 2) and f = x - n log 2,
// exp(x) is 2^n exp(f), where |f| < 0.35 and a polynomial will do (a Chebyshev
// approximation of (exp(f)-1-f)/f^2).
func exp32(x float32) float32 {
	// Adding magic to a small number rounds it to an integer and leaves that, plus
	// the bias of exponents, in the lowest bits.
	const magic = 3<<22 + 127
	// log 2 in two parts, the first with so few bits that n times it is exact.
	const high, low = 0.693359375, math.Ln2 - 0.693359375
	biased := x*math.Log2E + magic
	n := biased - magic
	f := x - n*high
	f -= n * low
	p := float32(0.0013926250)
	p = p*f + 0.0083632329
	p = p*f + 0.0416665524
	p = p*f + 0.1666657626
	p = p*f + 0.5
	p = p*f + 1
	p = p*f + 1
	return p * math.Float32frombits(math.Float32bits(biased)<<23)
}
