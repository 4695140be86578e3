// SPDX-License-Identifier: Apache-2.0

package main

// bfloat16s makes the functions over bfloat16. They process eight numbers at a time and
// require a multiple of eight.
func (g *generator) bfloat16s() {
	g.diff()
	g.scaledDiff()
	g.pairDot()
	g.pairAxpy()
}

// widen loads eight bfloat16.
func (g *generator) widen(m memory) vector {
	v := g.YMM()
	g.VPMOVZXWD(m, v)
	g.VPSLLD(imm(16), v, v)
	return v
}

func (g *generator) diff() {
	g.function("diffAVX2", "func(z *uint16, x, y *float32, n int)", "sets z to x-y, rounded to the upper half.")
	g.differences(nil)
}

func (g *generator) scaledDiff() {
	g.function("scaledDiffAVX2", "func(z *uint16, x, y, by *float32, n int)", "sets z to (x-y)*by, rounded to the upper half.")
	by := g.param("by")
	g.differences(&by)
}

// differences writes x-y, times the vector by unless by is nil.
func (g *generator) differences(by *integer) {
	z, x, y, n := g.param("z"), g.param("x"), g.param("y"), g.param("n")
	half := g.load(g.word(0x8000))
	g.SHRQ(imm(3), n)
	g.times(n, func() {
		d := g.load(at(x, 0))
		g.VSUBPS(at(y, 0), d, d)
		if by != nil {
			g.VMULPS(at(*by, 0), d, d)
			g.advance(32, *by)
		}
		g.VPADDD(half, d, d)
		g.VPSRLD(imm(16), d, d)
		g.VPACKUSDW(d, d, d)
		g.VPERMQ(imm(0xd8), d, d) // put the packed halves of both lanes one after the other
		g.VMOVUPS(d.AsX(), at(z, 0))
		g.advance(16, z)
		g.advance(32, x, y)
	})
	g.finish()
}

// pairDot keeps two sums of each product, to hide the latency of the adder.
func (g *generator) pairDot() {
	g.function("pairDotAVX2", "func(s, y, v *uint16, x *float32, n int, sums *float64)",
		"fills sums, of which there are 4 for each product, with those of s x, s v, y x and y v.")
	s, y, v, x, n := g.param("s"), g.param("y"), g.param("v"), g.param("x"), g.param("n")
	sums := [2][]vector{g.zeros(4), g.zeros(4)}
	step := func(sums []vector, k int) {
		with := []vector{g.load(at(x, 32*k)), g.widen(at(v, 16*k))}
		for i, p := range []integer{s, y} {
			one := g.widen(at(p, 16*k))
			for j, other := range with {
				g.VFMADD231PS(one, other, sums[2*i+j])
			}
		}
	}
	g.SHRQ(imm(3), n)
	g.times(g.halved(n), func() {
		step(sums[0], 0)
		step(sums[1], 1)
		g.advance(32, s, y, v)
		g.advance(64, x)
	})
	g.ifOdd(n, func() { step(sums[0], 0) })
	into := g.param("sums")
	for i, sum := range sums[0] {
		low, high, half := g.YMM(), g.YMM(), g.XMM()
		g.VADDPS(sums[1][i], sum, sum)
		g.VEXTRACTF128(imm(1), sum, half)
		g.VCVTPS2PD(sum.AsX(), low)
		g.VCVTPS2PD(half, high)
		g.VADDPD(high, low, low)
		g.VMOVUPD(low, at(into, 32*i))
	}
	g.finish()
}

func (g *generator) pairAxpy() {
	g.function("pairAxpyAVX2", "func(a float32, s *uint16, b float32, y *uint16, x *float32, n int)", "adds a*s+b*y to x.")
	a, b := g.scalar("a"), g.scalar("b")
	s, y, x, n := g.param("s"), g.param("y"), g.param("x"), g.param("n")
	g.SHRQ(imm(3), n)
	step := func(k int) {
		sum := g.load(at(x, 32*k))
		g.VFMADD231PS(g.widen(at(s, 16*k)), a, sum)
		g.VFMADD231PS(g.widen(at(y, 16*k)), b, sum)
		g.VMOVUPS(sum, at(x, 32*k))
	}
	g.times(g.halved(n), func() {
		step(0)
		step(1)
		g.advance(32, s, y)
		g.advance(64, x)
	})
	g.ifOdd(n, func() { step(0) })
	g.finish()
}
