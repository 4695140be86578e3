// SPDX-License-Identifier: Apache-2.0

package main

// Predicates of VCMPPS that are false for what is not a number.
const (
	notGreater = 0x12
	greater    = 0x1e
)

// agreement compares what the two directions give for the same token.
func (g *generator) agreement() {
	g.function("agreeAVX2", "func(a, b, z *float32, n int, tolerance, least float32) bool",
		"reports whether z[t] b[t] and z[t-1] a[t] are within the tolerance, the former greater than least, and a[t] than least times z[t], for the n >= 9 tokens but the first.")
	a, b, z, n := g.param("a"), g.param("b"), g.param("z"), g.param("n")
	tolerance, least, all, none := g.scalar("tolerance"), g.scalar("least"), g.YMM(), g.load(g.word(1<<31))
	g.VPCMPEQD(all, all, all)
	eight := func() {
		now := g.load(at(z, 4))
		x, y, d := g.YMM(), g.YMM(), g.YMM()
		g.VMULPS(at(b, 4), now, x)
		g.VMOVUPS(at(a, 4), y)
		g.VMULPS(least, now, d)
		g.VCMPPS(imm(greater), d, y, d)
		g.VANDPS(d, all, all)
		g.VCMPPS(imm(greater), least, x, d)
		g.VANDPS(d, all, all)
		g.VMULPS(at(z, 0), y, y)
		g.VSUBPS(y, x, d)
		g.VANDNPS(d, none, d)
		g.VMULPS(tolerance, x, x)
		g.VCMPPS(imm(notGreater), x, d, d)
		g.VANDPS(d, all, all)
	}
	g.DECQ(n)
	rest, eights := g.GP64(), g.GP64()
	g.MOVQ(n, eights)
	g.SHRQ(imm(3), eights)
	g.MOVQ(n, rest)
	g.ANDQ(num(7), rest)
	g.times(eights, func() {
		eight()
		g.advance(32, a, b, z)
	})
	// The last eight once more: they are some that were done and the rest.
	g.SUBQ(num(8), rest)
	for _, p := range []integer{a, b, z} {
		g.LEAQ(memory{Base: p, Index: rest, Scale: 4}, p)
	}
	eight()
	bits, yes := g.GP32(), g.GP8()
	g.VMOVMSKPS(all, bits)
	g.CMPL(bits, num(0xff))
	g.SETEQ(yes)
	g.VZEROUPPER()
	g.Store(yes, g.ReturnIndex(0))
	g.RET()
}
