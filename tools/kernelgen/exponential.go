// SPDX-License-Identifier: Apache-2.0

package main

import "math"

// exponential holds what exp needs, in registers. With n = round(x / log 2) and
// f = x - n log 2, exp(x) is 2^n exp(f), where |f| < 0.35 and a polynomial of
// degree 6 (a Chebyshev approximation of (exp(f)-1-f)/f^2, rounded) is exact to
// 1e-8.
type exponential struct {
	log2e, magic, high, low vector
	series                  []vector // of f^6 down to f^2, and 1
	floor                   vector
}

// least is what smaller arguments are taken for: exp of it is still normal.
const least = -87

// Adding magic to a small number rounds it to an integer n and leaves n plus the
// bias of exponents in the lowest bits.
const magic = 3<<22 + 127

// log 2 in two parts, the first with so few bits that n times it is exact.
const (
	highLog2 = 0.693359375
	lowLog2  = math.Ln2 - highLog2
)

func (g *generator) loadExponential() exponential {
	e := exponential{
		log2e: g.load(g.single(math.Log2E)),
		magic: g.load(g.single(magic)),
		high:  g.load(g.single(highLog2)),
		low:   g.load(g.single(lowLog2)),
		floor: g.load(g.single(least)),
	}
	for _, c := range []float32{0.0083632329, 0.0416665524, 0.1666657626, 0.5, 1} {
		e.series = append(e.series, g.load(g.single(c)))
	}
	return e
}

// exp turns x into its exponential. What is not a number stays that.
func (g *generator) exp(e exponential, x vector) {
	n, p := g.YMM(), g.YMM()
	g.VMAXPS(x, e.floor, x)
	g.VMOVAPS(e.magic, n)
	g.VFMADD231PS(e.log2e, x, n)
	g.VSUBPS(e.magic, n, p)
	g.VFNMADD231PS(e.high, p, x)
	g.VFNMADD231PS(e.low, p, x)
	p = g.load(g.single(0.0013926250))
	for _, c := range e.series {
		g.VFMADD213PS(c, x, p)
	}
	g.VFMADD213PS(e.series[len(e.series)-1], x, p)
	g.VPSLLD(imm(23), n, n)
	g.VMULPS(n, p, x)
}

// lower raises x to 0 in the padding, where pad is 0, it is very low elsewhere,
// and makes low the least of it and x.
func (g *generator) lower(x, low vector, pad memory) {
	t := g.load(pad)
	g.VMAXPS(x, t, x)
	g.VMINPS(x, low, low)
}
