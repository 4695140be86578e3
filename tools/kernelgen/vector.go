// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/mmcloughlin/avo/operand"
)

// vectors makes the functions over whole vectors.
func (g *generator) vectors() {
	g.sums()
	g.changes()
}

// sums makes the inner product.
func (g *generator) sums() {
	g.function("dotAVX2", "func(x, y *float32, n int) float64", "is the inner product of n numbers, added up in 32 sums of float32.")
	sums := g.zeros(4)
	g.stream([]string{"x", "y"}, func(k int, s span) {
		g.VFMADD231PS(s.in(1), s.get(0), sums[k])
	})
	g.returnTotal(sums)
}

// changes makes the functions that only write.
func (g *generator) changes() {
	g.function("axpyAVX2", "func(a float32, x, y *float32, n int)", "adds a*x to y.")
	a := g.scalar("a")
	g.stream([]string{"x", "y"}, func(_ int, s span) {
		y := s.get(1)
		g.VFMADD231PS(s.in(0), a, y)
		s.put(y, 1)
	})
	g.finish()

	g.function("addScaledAVX2", "func(z, x *float32, a float32, y *float32, n int)", "sets z to x+a*y.")
	a = g.scalar("a")
	g.stream([]string{"z", "x", "y"}, func(_ int, s span) {
		x := s.get(1)
		g.VFMADD231PS(s.in(2), a, x)
		s.put(x, 0)
	})
	g.finish()

	g.function("multiplyAVX2", "func(z, x, y *float32, n int)", "sets z to x times y, one by one.")
	g.stream([]string{"z", "x", "y"}, func(_ int, s span) {
		x := s.get(1)
		g.VMULPS(s.in(2), x, x)
		s.put(x, 0)
	})
	g.finish()
}

// scalar is a parameter, eight times.
func (g *generator) scalar(name string) vector {
	x, y := g.XMM(), g.YMM()
	g.Load(g.Param(name), x)
	g.VBROADCASTSS(x, y)
	return y
}

func (g *generator) returnTotal(sums []vector) {
	low, high := g.YMM(), g.YMM()
	half := g.XMM()
	sum := g.total(sums)
	g.VEXTRACTF128(imm(1), sum, half)
	g.VCVTPS2PD(sum.AsX(), low)
	g.VCVTPS2PD(half, high)
	g.VADDPD(high, low, low)
	g.returnDouble(low)
}

// returnDouble returns the sum of four doubles.
func (g *generator) returnDouble(v vector) {
	half := g.XMM()
	g.VEXTRACTF128(imm(1), v, half)
	x := v.AsX()
	g.VADDPD(half, x, x)
	g.VPERMILPD(imm(1), x, half)
	g.VADDSD(half, x, x)
	g.Store(x, g.ReturnIndex(0))
	g.finish()
}

// span is eight numbers at the same position of each vector, or fewer at the end.
type span struct {
	g        *generator
	pointers []integer
	disp     int
	mask     *vector // of the numbers present; nil for all eight
}

func (s span) get(i int) vector {
	m := at(s.pointers[i], s.disp)
	if s.mask == nil {
		return s.g.load(m)
	}
	v := s.g.YMM()
	s.g.VMASKMOVPS(m, *s.mask, v)
	return v
}

// in is vector i as an operand.
func (s span) in(i int) operand.Op {
	if s.mask == nil {
		return at(s.pointers[i], s.disp)
	}
	return s.get(i)
}

func (s span) put(v vector, i int) {
	m := at(s.pointers[i], s.disp)
	if s.mask == nil {
		s.g.VMOVUPS(v, m)
		return
	}
	s.g.VMASKMOVPS(v, *s.mask, m)
}

// stream processes vectors of n numbers: 32 at a time, then 8, then the rest. The body gets
// the number of its quarter of the 32.
func (g *generator) stream(names []string, body func(k int, s span)) {
	n := g.param("n")
	s := span{g: g}
	for _, name := range names {
		s.pointers = append(s.pointers, g.param(name))
	}
	for _, width := range []int{32, 8} {
		again, done := g.label("again"), g.label("done")
		g.Label(again)
		g.CMPQ(n, num(width))
		g.JLT(to(done))
		for k := range width / 8 {
			s.disp = 32 * k
			body(k, s)
		}
		s.disp = 0
		g.advance(4*width, s.pointers...)
		g.SUBQ(num(width), n)
		g.JMP(to(again))
		g.Label(done)
	}
	none := g.label("none")
	g.TESTQ(n, n)
	g.JZ(to(none))
	mask := g.tail(n)
	s.mask = &mask
	body(0, s)
	g.Label(none)
}

// tail is the mask of the first n < 8 places.
func (g *generator) tail(n integer) vector {
	x, mask := g.XMM(), g.YMM()
	g.MOVQ(n, x)
	g.VPBROADCASTD(x, mask)
	g.VPCMPGTD(g.counting(), mask, mask)
	return mask
}

// counting is the words 0 to 7 in memory.
func (g *generator) counting() memory {
	const name = "counting"
	if m, ok := g.constants[name]; ok {
		return m
	}
	m := g.StaticGlobal(name)
	g.DataAttributes(rodata)
	for i := range 8 {
		g.AppendDatum(operand.U32(i))
	}
	g.constants[name] = m
	return m
}
