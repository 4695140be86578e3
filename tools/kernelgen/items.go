// SPDX-License-Identifier: Apache-2.0

package main

// items makes the sums of many short rows of items.
func (g *generator) items() {
	g.function("addItemsAVX2", "func(dst *float32, stride int, start, items *int32, rows int, x *float32, running *float64)",
		"adds the sums of rows, which have an item at least, to numbers that are stride bytes apart. running is room for as many as there are items, and four.")
	start, rows, running := g.param("start"), g.param("rows"), g.param("running")
	first, end := g.GP64(), g.GP64()
	g.MOVLQSX(at(start, 0), first)
	g.MOVLQSX(memory{Base: start, Index: rows, Scale: 4}, end)
	g.run(first, end, running)
	g.SHLQ(imm(3), first)
	g.SUBQ(first, running) // so that the index is the number of the next item
	g.ends(start, rows, running)
	g.RET()
}

// singles adds to each number the value of its item.
func (g *generator) singles() {
	g.function("addSinglesAVX2", "func(dst *float32, items *int32, n int, x *float32)", "adds to n numbers those of x that their items name.")
	dst, items, n, x := g.param("dst"), g.param("items"), g.param("n"), g.param("x")
	eights := g.GP64()
	g.MOVQ(n, eights)
	g.SHRQ(imm(3), eights)
	g.ANDQ(num(7), n)
	g.times(eights, func() {
		all, item, v := g.YMM(), g.load(at(items, 0)), g.zero()
		g.VPCMPEQD(all, all, all)
		g.VGATHERDPS(all, memory{Base: x, Index: item, Scale: 4}, v)
		g.VADDPS(at(dst, 0), v, v)
		g.VMOVUPS(v, at(dst, 0))
		g.advance(32, dst, items)
	})
	g.times(n, func() {
		item, v := g.GP32(), g.XMM()
		g.MOVL(at(items, 0), item)
		g.VMOVSS(memory{Base: x, Index: item.As64(), Scale: 4}, v)
		g.VADDSS(at(dst, 0), v, v)
		g.VMOVSS(v, at(dst, 0))
		g.advance(4, dst, items)
	})
	g.finish()
}

// run fills running with 0 and the prefix sums of the items from first on, like runOver.
func (g *generator) run(first, end, running integer) {
	items := g.param("items")
	item, last, into, fours := g.GP64(), g.GP64(), g.GP64(), g.GP64()
	g.LEAQ(memory{Base: items, Index: first, Scale: 4}, item)
	g.LEAQ(memory{Base: items, Index: end, Scale: 4, Disp: -4}, last)
	s := newSummands(g)
	sum := g.XMM()
	g.VXORPD(sum, sum, sum)
	g.VMOVSD(sum, at(running, 0))
	g.LEAQ(at(running, 8), into)
	g.MOVQ(end, fours)
	g.SUBQ(first, fours)
	g.SHRQ(imm(2), fours)
	g.times(fours, func() {
		g.four(s, item, into, sum)
		g.advance(16, item)
		g.advance(32, into)
	})
	g.rest(s, item, last, into, sum)
}

// four adds a, a+b, (a+b)+c and (a+b)+(c+d) to the sum.
func (g *generator) four(s summands, item, into integer, sum vector) {
	a, b, c, d := s.get(item, 0), s.get(item, 4), s.get(item, 8), s.get(item, 12)
	g.VADDSD(b, a, b)
	g.VADDSD(d, c, d)
	g.VADDSD(c, b, c)
	g.VADDSD(d, b, d)
	for i, part := range []vector{a, b, c} {
		g.VADDSD(part, sum, part)
		g.VMOVSD(part, at(into, 8*i))
	}
	g.VADDSD(d, sum, sum)
	g.VMOVSD(sum, at(into, 24))
}

// rest adds three items one by one. Past the end it repeats the last item, which is harmless:
// no row ends there. A branch on the number of items would mostly be mispredicted.
func (g *generator) rest(s summands, item, last, into integer, sum vector) {
	for i := range 3 {
		here := g.GP64()
		g.LEAQ(at(item, 4*i), here)
		g.CMPQ(here, last)
		g.CMOVQHI(last, here)
		g.VADDSD(s.get(here, 0), sum, sum)
		g.VMOVSD(sum, at(into, 8*i))
	}
}

// ends adds to dst the differences of the prefix sums at the ends of the rows.
func (g *generator) ends(start, rows, running integer) {
	dst, stride, before := g.param("dst"), g.param("stride"), g.XMM()
	g.VXORPD(before, before, before)
	g.times(rows, func() {
		end, sum, row := g.GP32(), g.XMM(), g.XMM()
		g.MOVL(at(start, 4), end)
		g.VMOVSD(memory{Base: running, Index: end.As64(), Scale: 8}, sum)
		g.VSUBSD(before, sum, row)
		g.VMOVAPD(sum, before)
		g.VCVTSD2SS(row, row, row)
		g.VADDSS(at(dst, 0), row, row)
		g.VMOVSS(row, at(dst, 0))
		g.advance(4, start)
		g.ADDQ(stride, dst)
	})
}

// summands are the values of items.
type summands struct {
	*generator
	x    integer
	zero vector // the upper half of each register, to avoid a dependency
}

func newSummands(g *generator) summands {
	s := summands{g, g.param("x"), g.XMM()}
	g.VXORPD(s.zero, s.zero, s.zero)
	return s
}

// get is the value of an item in memory, as a double.
func (s summands) get(item integer, disp int) vector {
	k, v := s.GP32(), s.XMM()
	s.MOVL(at(item, disp), k)
	s.VCVTSS2SD(memory{Base: s.x, Index: k.As64(), Scale: 4}, s.zero, v)
	return v
}
