// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// gather is the kernel of one row width.
type gather struct {
	*generator
	vectors int  // vectors summed at once
	half    bool // they have four places instead of eight
	ways    int  // independent sums, to hide the latency of the adder
	stride  int  // bytes from row to row, or 0 when it is a parameter
	ordered bool // an order of the rows is a parameter
}

const longest = 64 // rows that are summed in float32

// gathers makes one function for each width in use, and one that does sixteen
// columns of rows of any width.
func (g *generator) gathers() {
	for _, s := range []gather{
		{vectors: 1, ways: 4, stride: 16, half: true},
		{vectors: 1, ways: 4, stride: 32},
		{vectors: 2, ways: 4, stride: 64},
		{vectors: 4, ways: 2, stride: 128},
		{vectors: 6, ways: 1, stride: 192},
		{vectors: 8, ways: 1, stride: 256},
		{vectors: 2, ways: 4},
		{vectors: 1, ways: 4, stride: 16, half: true, ordered: true},
		{vectors: 1, ways: 4, stride: 32, ordered: true},
		{vectors: 2, ways: 4, stride: 64, ordered: true},
	} {
		s.generator = g
		s.make()
	}
}

func (g gather) make() {
	g.declare()
	dst, start, rows := g.param("dst"), g.param("start"), g.param("rows")
	doubles := g.AllocLocal(g.width() * 2)
	var order integer
	if g.ordered {
		order = g.param("order")
	}
	g.times(rows, func() {
		into, row := dst, start
		if g.ordered {
			into, row = g.next(order, dst, start)
		}
		item, n := g.list(row)
		long, done := g.label("long"), g.label("done")
		g.CMPQ(n, num(longest))
		g.JGT(to(long))
		g.short(into, item, n)
		g.JMP(to(done))
		g.Label(long)
		g.long(into, item, n, doubles)
		g.Label(done)
		g.forward(order, dst, start)
	})
	g.finish()
}

// declare begins the function.
func (g gather) declare() {
	const signature = "func(dst, table *float32, start, items *int32, rows int, bias *float32"
	name, more, doc := fmt.Sprintf("gather%d", g.stride/4), "", fmt.Sprintf("gathers rows of %d numbers.", g.stride/4)
	switch {
	case g.stride == 0:
		name, more = "gatherColumns", ", stride int"
		doc = "gathers sixteen columns of rows that are stride bytes apart."
	case g.ordered:
		name, more = name+"Ordered", ", order *uint16"
		doc = fmt.Sprintf("gathers rows of %d numbers in an order.", g.stride/4)
	}
	g.function(name+"AVX2", signature+more+")", doc)
}

// next gives the destination of the next row in the order, and the start of its list.
func (g gather) next(order, dst, start integer) (into, row integer) {
	i := g.GP64()
	into, row = g.GP64(), g.GP64()
	g.MOVWQZX(at(order, 0), i)
	g.LEAQ(memory{Base: start, Index: i, Scale: 4}, row)
	g.IMUL3Q(num(g.stride), i, into)
	g.ADDQ(dst, into)
	return into, row
}

// forward advances to the next row.
func (g gather) forward(order, dst, start integer) {
	switch {
	case g.ordered:
		g.advance(2, order)
		return
	case g.stride == 0:
		stride := g.Load(g.Param("stride"), g.GP64())
		g.ADDQ(stride, dst)
	default:
		g.advance(g.stride, dst)
	}
	g.advance(4, start)
}

// width is the number of bytes summed at once.
func (g gather) width() int {
	if g.half {
		return 16
	}
	return 32 * g.vectors
}

func (g gather) register() vector {
	if g.half {
		return g.XMM()
	}
	return g.YMM()
}

// list gives the first item of a row and the number of its items.
func (g gather) list(start integer) (item, n integer) {
	item, n = g.GP64(), g.GP64()
	items := g.param("items")
	g.MOVLQSX(at(start, 4), n)
	g.MOVLQSX(at(start, 0), item)
	g.SUBQ(item, n)
	g.LEAQ(memory{Base: items, Index: item, Scale: 4}, item)
	return item, n
}

// biased is the bias, or zeros without one.
func (g gather) biased() []vector {
	bias := g.param("bias")
	sums := make([]vector, g.vectors)
	for i := range sums {
		sums[i] = g.register()
		g.VXORPS(sums[i], sums[i], sums[i])
	}
	none := g.label("unbiased")
	g.TESTQ(bias, bias)
	g.JZ(to(none))
	for i, s := range sums {
		g.VMOVUPS(at(bias, 32*i), s)
	}
	g.Label(none)
	return sums
}

func (g gather) short(dst, item, n integer) {
	sums := g.biased()
	g.sum(sums, item, n)
	for i, s := range sums {
		g.VMOVUPS(s, at(dst, 32*i))
	}
}

// sum adds n rows, counting n down.
func (g gather) sum(sums []vector, item, n integer) {
	table := g.param("table")
	again, rest, done := g.label("again"), g.label("rest"), g.label("done")
	ways := [][]vector{sums}
	for len(ways) < g.ways {
		more := make([]vector, g.vectors)
		for i := range more {
			more[i] = g.register()
			g.VXORPS(more[i], more[i], more[i])
		}
		ways = append(ways, more)
	}
	unroll := max(g.ways, 2)
	g.SUBQ(num(unroll), n)
	g.JLT(to(rest))
	g.Label(again)
	for w := range unroll {
		g.addRow(ways[w%g.ways], table, item, w)
	}
	g.advance(4*unroll, item)
	g.SUBQ(num(unroll), n)
	g.JGE(to(again))
	g.Label(rest)
	g.ADDQ(num(unroll), n)
	for i := range sums {
		column := make([]vector, g.ways)
		for w := range ways {
			column[w] = ways[w][i]
		}
		g.total(column)
	}
	single := g.label("single")
	g.JZ(to(done))
	g.Label(single)
	g.addRow(sums, table, item, 0)
	g.advance(4, item)
	g.DECQ(n)
	g.JNZ(to(single))
	g.Label(done)
}

// addRow adds the row of item w.
func (g gather) addRow(sums []vector, table, item integer, w int) {
	offset := g.GP64()
	g.MOVLQSX(at(item, 4*w), offset)
	switch {
	case g.stride == 0:
		stride := g.NewParam("stride")
		g.IMULQ(stride, offset)
	case g.stride&(g.stride-1) == 0:
		shift := 0
		for 1<<shift < g.stride {
			shift++
		}
		g.SHLQ(imm(shift), offset)
	default:
		g.IMUL3Q(num(g.stride), offset, offset)
	}
	for i, s := range sums {
		g.VADDPS(memory{Base: table, Index: offset, Scale: 1, Disp: 32 * i}, s, s)
	}
}

// NewParam is a parameter in memory.
func (g gather) NewParam(name string) operand.Op {
	b, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// long sums in pieces of 64 rows and adds the pieces as doubles.
func (g gather) long(dst, item, n integer, doubles memory) {
	g.startDoubles(doubles)
	again := g.label("again")
	g.Label(again)
	sums := make([]vector, g.vectors)
	for i := range sums {
		sums[i] = g.register()
		g.VXORPS(sums[i], sums[i], sums[i])
	}
	count := g.GP64()
	g.MOVQ(num(longest), count)
	g.CMPQ(n, count)
	g.CMOVQLT(n, count)
	g.SUBQ(count, n)
	g.sum(sums, item, count)
	for i, s := range sums {
		g.addHalves(s, doubles.Offset(64*i))
	}
	g.TESTQ(n, n)
	g.JNZ(to(again))
	for i := range g.vectors {
		g.putSingles(doubles.Offset(64*i), at(dst, 32*i))
	}
}

// startDoubles sets the doubles to the bias.
func (g gather) startDoubles(doubles memory) {
	zero := g.zero()
	for i := range g.width() / 16 {
		g.VMOVUPD(zero, doubles.Offset(32*i))
	}
	for i, s := range g.biased() {
		g.addHalves(s, doubles.Offset(64*i))
	}
}

func (g gather) addHalves(v vector, to memory) {
	if !g.half {
		g.addDoubles(v, to)
		return
	}
	d := g.YMM()
	g.VCVTPS2PD(v, d)
	g.VADDPD(to, d, d)
	g.VMOVUPD(d, to)
}

// putSingles rounds doubles to singles.
func (g gather) putSingles(from, to memory) {
	x := g.XMM()
	g.VCVTPD2PSY(from, x)
	g.VMOVUPS(x, to)
	if !g.half {
		g.VCVTPD2PSY(from.Offset(32), x)
		g.VMOVUPS(x, to.Offset(16))
	}
}
