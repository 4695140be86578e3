// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
)

// exponential holds the registers of exp. With n = round(x / log 2) and f = x - n log 2,
// exp(x) is 2^n exp(f), where |f| < 0.35. A polynomial of degree 6 (a Chebyshev
// approximation of (exp(f)-1-f)/f^2, rounded) is exact to 1e-8.
type exponential struct {
	log2e, magic, high, low vector
	series                  []vector // of f^5 down to f^2, and 1
}

// Adding magic to a small number rounds it to an integer n and leaves n plus the exponent
// bias in the lowest bits.
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
	}
	for _, c := range []float32{0.0083632329, 0.0416665524, 0.1666657626, 0.5, 1} {
		e.series = append(e.series, g.load(g.single(c)))
	}
	return e
}

// exp replaces x, from -87 to 0, by its exponential. NaN stays NaN.
func (g *generator) exp(e exponential, x vector) {
	n, p := g.YMM(), g.YMM()
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

// raise raises x to a floor, and sets low to the minimum of low and x.
func (g *generator) raise(x, low vector, floor memory) {
	t := g.load(floor)
	g.VMAXPS(x, t, x)
	g.VMINPS(x, low, low)
}

const (
	exponentiation    = "func(rows *float32, n int, floor *float32) (top float64, lowest float32)"
	exponentiationDoc = "turns n > 0 rows of scores into psi. floor is the least that a score can be below the maximum of its row, 0 in the padding. It returns the sum of the maxima and the least score below them."
)

// exponentials makes one function for each width of rows.
func (g *generator) exponentials() {
	g.exponentiate4()
	for _, vectors := range []int{1, 2, 4, 6, 8} {
		g.exponentiate(vectors)
	}
}

// exponentiate finds the maximum of the next row before it processes a row, to hide the
// latency.
func (g *generator) exponentiate(vectors int) {
	g.function(fmt.Sprintf("exponentiate%dAVX2", 8*vectors), exponentiation, exponentiationDoc)
	rows, n, floor, next := g.param("rows"), g.param("n"), g.param("floor"), g.GP64()
	e, low := g.loadExponential(), g.zero()
	sum := g.AllocLocal(32)
	g.VMOVUPS(low, sum)
	top := g.rowMaximum(rows, vectors)
	g.times(n, func() {
		g.LEAQ(at(rows, 32*vectors), next)
		g.CMPQ(n, num(1))
		g.CMOVQEQ(rows, next)
		following := g.rowMaximum(next, vectors)
		t := g.XMM()
		g.VCVTSS2SD(top.AsX(), top.AsX(), t)
		g.VADDSD(sum, t, t)
		g.VMOVSD(t, sum)
		for v := range vectors {
			x := g.load(at(rows, 32*v))
			g.VSUBPS(top, x, x)
			g.raise(x, low, at(floor, 32*v))
			g.exp(e, x)
			g.VMOVUPS(x, at(rows, 32*v))
		}
		g.VMOVAPS(following, top)
		g.advance(32*vectors, rows)
	})
	tops := g.XMM()
	g.VMOVSD(sum, tops)
	g.returnTops(tops, low)
}

// rowMaximum is the maximum of a row, eight times.
func (g *generator) rowMaximum(row integer, vectors int) vector {
	top := g.load(at(row, 0))
	for v := 1; v < vectors; v++ {
		g.VMAXPS(at(row, 32*v), top, top)
	}
	g.foldAll(top, g.max)
	return top
}

// exponentiate4 processes two rows of 4 at a time; floor has two rows, too.
func (g *generator) exponentiate4() {
	g.function("exponentiate4AVX2", exponentiation, exponentiationDoc)
	rows, n, floor := g.param("rows"), g.param("n"), g.param("floor")
	e, low, tops := g.loadExponential(), g.zero(), g.XMM()
	g.VXORPD(tops, tops, tops)
	pair := func(x vector) {
		top := g.YMM()
		g.VMOVAPS(x, top)
		g.fold(top, g.max)
		t := g.XMM()
		g.VEXTRACTF128(imm(1), top, t)
		g.VUNPCKLPS(t, top.AsX(), t)
		g.VCVTPS2PD(t, t)
		g.VADDPD(t, tops, tops)
		g.VSUBPS(top, x, x)
		g.raise(x, low, at(floor, 0))
		g.exp(e, x)
	}
	pairs := g.halved(n)
	g.times(pairs, func() {
		x := g.load(at(rows, 0))
		pair(x)
		g.VMOVUPS(x, at(rows, 0))
		g.advance(32, rows)
	})
	g.ifOdd(n, func() {
		x := g.YMM()
		g.VMOVUPS(at(rows, 0), x.AsX())
		pair(x)
		g.VMOVUPS(x.AsX(), at(rows, 0))
	})
	second := g.XMM()
	g.VPERMILPD(imm(1), tops, second)
	g.VADDSD(second, tops, tops)
	g.returnTops(tops, low)
}

func (g *generator) returnTops(top, low vector) {
	g.foldAll(low, g.min)
	g.VZEROUPPER()
	g.Store(top, g.ReturnIndex(0))
	g.Store(low.AsX(), g.ReturnIndex(1))
	g.RET()
}
