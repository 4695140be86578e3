// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// split makes the kernels of rows of two halves, each of half vectors. Free kernels allow
// every transition. In the others, any state may enter the first half, and the second half
// is continued place by place.
type split struct {
	*generator
	half int // vectors of a half
	free bool
}

func (g *generator) split() {
	for _, s := range []split{{half: 1}, {half: 2}, {half: 3}, {half: 4}, {half: 1, free: true}, {half: 2, free: true}, {half: 3, free: true}} {
		s.generator = g
		s.forward()
		s.backward()
		s.expect()
	}
}

func (s split) name(what string) string {
	if s.free {
		what += "Free"
	}
	return fmt.Sprintf("%s%dAVX2", what, 16*s.half)
}

// columns is the number of vectors that any state may enter.
func (s split) columns() int {
	if s.free {
		return 2 * s.half
	}
	return s.half
}

// Bytes of a row of places and of a row of the forward table.
func (s split) rowBytes() int   { return 64 * s.half }
func (s split) tableBytes() int { return 32 * s.columns() }

// ways is the number of sums for each of n results: enough to hide the latency of the
// multipliers, few enough for the registers.
func ways(n int) int { return min(12/n, (8+n-1)/n) }

// product sums the rows of tables, each times its number, in groups of four rows of each
// table. The first vector of numbers belongs to the first table and so on. It changes the
// pointers.
func (s split) product(width int, numbers, tables []integer, groups integer) []vector {
	n := ways(width)
	sums := s.zeros(n * width)
	bytes, k := 32*width, 0
	s.times(groups, func() {
		fours := make([]vector, len(tables))
		for h := range tables {
			fours[h] = s.YMM()
			s.VBROADCASTF128(at(numbers[h], 0), fours[h])
		}
		for i := range 4 {
			for h, table := range tables {
				b := s.YMM()
				s.VPERMILPS(pick(i), fours[h], b)
				for v := range width {
					s.VFMADD231PS(at(table, i*bytes+32*v), b, sums[k%n*width+v])
				}
				k++
			}
		}
		s.advance(4*bytes, tables...)
		s.advance(16, numbers...)
	})
	for v := range width {
		var column []vector
		for w := range n {
			column = append(column, sums[w*width+v])
		}
		s.total(column)
	}
	return sums[:width]
}

// halves returns a pointer and one that is the given bytes after it.
func (s split) halves(from integer, bytes int) []integer {
	first, second := s.GP64(), s.GP64()
	s.MOVQ(from, first)
	s.LEAQ(at(from, bytes), second)
	return []integer{first, second}
}

func (s split) groups() integer { return s.param("groups") }

func (s split) forward() {
	s.function(s.name("forward"), "func(psi, alpha, a, forward, lanes *float32, n, groups int) (exponent int)",
		"fills n rows of alpha from the row before them, and their factors a, of which those of the first two must be there; two more are written. It returns the sum of the exponents that a took away. groups is how many fours of places of a half are in use.")
	restore := s.flushing()
	f := forward{split: s, psi: s.param("psi"), alpha: s.param("alpha"), a: s.param("a"), n: s.param("n"), exponent: s.GP64()}
	s.XORQ(f.exponent, f.exponent)
	s.times(f.n, func() {
		f.next(f.entered())
		s.advance(s.rowBytes(), f.psi, f.alpha)
		s.advance(4, f.a)
	})
	restore()
	s.VZEROUPPER()
	s.Store(f.exponent, s.ReturnIndex(0))
	s.RET()
}

// forward has the registers of the forward pass.
type forward struct {
	split
	psi, alpha, a, n, exponent integer
}

// entered is sum_i alpha[t-1][i] M[i][j].
func (f forward) entered() []vector {
	before := f.GP64()
	f.LEAQ(at(f.alpha, -f.rowBytes()), before)
	numbers := f.halves(before, f.rowBytes()/2)
	tables := f.halves(f.param("forward"), 8*f.half*f.tableBytes())
	return f.product(f.columns(), numbers, tables, f.groups())
}

// everySecond stores a factor for every second token, selected by a bit, and 1 for the
// others. It is the factor of the token two further on, to hide its latency. A factor for
// every token would correct what the previous one has already corrected.
func (s split) everySecond(factor vector, teller integer, bit int, into memory) {
	f, one := s.GP32(), s.GP32()
	s.VMOVD(factor.AsX(), f)
	s.MOVL(operand.U32(0x3f800000), one)
	s.TESTQ(num(bit), teller)
	s.CMOVLNE(one, f)
	s.MOVL(f, into)
}

// next makes alpha[t] = psi[t] a[t] times the sum of entered or continued states, and the
// next factor.
func (f forward) next(entered []vector) {
	a := f.broadcast(at(f.a, 0))
	sum := f.zero()
	for v := range 2 * f.half {
		e := f.YMM()
		f.VMULPS(at(f.psi, 32*v), a, e)
		var y vector
		if v < len(entered) {
			y = entered[v]
		} else {
			lanes := f.param("lanes")
			y = f.load(at(f.alpha, 32*(v-f.half)-f.rowBytes()))
			f.VMULPS(at(lanes, 32*(v-f.half)), y, y)
			inside := f.load(at(lanes, 32*v))
			f.VFMADD231PS(at(f.alpha, 32*v-f.rowBytes()), inside, y)
		}
		f.VMULPS(e, y, y)
		f.VMOVUPS(y, at(f.alpha, 32*v))
		f.VADDPS(y, sum, sum)
	}
	f.foldAll(sum, f.add)
	f.factor(sum)
	f.everySecond(sum, f.a, 4, at(f.a, 8))
	e := f.GP64()
	f.MOVL(at(f.a, 0), e.As32())
	f.SHRQ(imm(23), e)
	f.SUBQ(e, f.exponent)
	f.advance(127, f.exponent)
}

func (s split) backward() {
	s.function(s.name("backward"), "func(rows, alpha, beta, q, ring, a, b, z, back, lanes *float32, from, to, groups int) (peak float32)",
		"turns the rows of psi from to-1 down to from into marginals. It fills b, whose last two must be 1, and z, and ring, whose first row is row from of r, and returns the greatest number in that. beta, and q, its product with psi, are those of row to-1; in the end they are those of the row before from, if there is one.")
	s.goBack(backward.before)
}

// goBack is the body of a backward function; before makes beta and q of the previous token.
func (s split) goBack(before func(backward)) {
	restore := s.flushing()
	b := backward{split: s, rows: s.param("rows"), alpha: s.param("alpha"), ring: s.param("ring"), t: s.param("to"), n: s.GP64(), peak: s.zero()}
	from, bytes := s.param("from"), s.GP64()
	s.DECQ(b.t)
	s.IMUL3Q(num(s.rowBytes()), b.t, bytes)
	s.ADDQ(bytes, b.rows)
	s.ADDQ(bytes, b.alpha)
	s.MOVQ(b.t, b.n)
	s.SUBQ(from, b.n)
	s.IMUL3Q(num(s.rowBytes()), b.n, bytes)
	s.ADDQ(bytes, b.ring)
	s.INCQ(b.n)
	again, done := s.label("again"), s.label("done")
	s.Label(again)
	b.marginals()
	s.TESTQ(b.t, b.t)
	s.JZ(to(done))
	before(b)
	s.advance(-s.rowBytes(), b.rows, b.alpha, b.ring)
	s.DECQ(b.t)
	s.DECQ(b.n)
	s.JNZ(to(again))
	s.Label(done)
	restore()
	s.foldAll(b.peak, s.max)
	s.Store(b.peak.AsX(), s.ReturnIndex(0))
	s.finish()
}

// backward has the registers of the backward pass.
type backward struct {
	split
	rows, alpha, ring, t, n integer
	peak                    vector
}

// before makes beta and q of the previous token.
func (b backward) before() {
	tables := []integer{b.param("back")}
	numbers := []integer{b.param("q")}
	if b.free {
		numbers = b.halves(numbers[0], b.rowBytes()/2)
		tables = b.halves(tables[0], 8*b.half*b.rowBytes())
	}
	sums := b.product(2*b.half, numbers, tables, b.groups())
	if !b.free {
		b.continued(sums, b.param("q"))
	}
	b.earlier(sums)
}

// earlier stores beta and q of the previous token, and the next factor.
func (b backward) earlier(sums []vector) {
	q, beta := b.param("q"), b.param("beta")
	factor := b.broadcast(b.element("b", 0))
	for v, y := range sums {
		e := b.YMM()
		b.VMULPS(at(b.rows, 32*v-b.rowBytes()), factor, e)
		b.VMULPS(e, y, e)
		b.VMOVUPS(e, at(q, 32*v))
	}
	for v, y := range sums {
		b.VMULPS(factor, y, y)
		b.VMOVUPS(y, at(beta, 32*v))
	}
	sum := b.sum(sums)
	b.foldAll(sum, b.add)
	b.factor(sum)
	b.everySecond(sum, b.t, 1, b.element("b", -2))
}

// continued adds the continuations of spans.
func (b backward) continued(sums []vector, q integer) {
	lanes := b.param("lanes")
	for v := range b.half {
		inside := b.load(at(q, 32*(b.half+v)))
		b.VFMADD231PS(at(lanes, 32*v), inside, sums[v])
		b.VFMADD231PS(at(lanes, 32*(b.half+v)), inside, sums[b.half+v])
	}
}

// element is a number of token t+i.
func (b backward) element(name string, i int) memory {
	return memory{Base: b.param(name), Index: b.t, Scale: 4, Disp: 4 * i}
}

// marginals makes P and r of a token.
func (b backward) marginals() {
	beta := b.param("beta")
	products := make([]vector, 2*b.half)
	for v := range products {
		products[v] = b.load(at(beta, 32*v))
		b.VMULPS(at(b.alpha, 32*v), products[v], products[v])
	}
	z := b.sum(products)
	b.foldAll(z, b.add)
	b.VMOVSS(z.AsX(), b.element("z", 0))
	inverse := b.load(b.single(1))
	b.VDIVPS(z, inverse, inverse)
	f := b.broadcast(b.element("a", 0))
	b.VMULPS(inverse, f, f)
	for v, p := range products {
		r := b.YMM()
		b.VMULPS(at(beta, 32*v), f, r)
		b.VMULPS(at(b.rows, 32*v), r, r)
		b.VMOVUPS(r, at(b.ring, 32*v))
		b.VMAXPS(r, b.peak, b.peak)
		b.VMULPS(inverse, p, p)
		b.VMOVUPS(p, at(b.rows, 32*v))
	}
}

func (s split) expect() {
	s.function(s.name("expect"), "func(alpha, ring *float32, n int, counts *float64, groups int)",
		"adds alpha[t][i] ring[t][j] of n rows to counts, as they are laid out in Counts.")
	restore := s.flushing()
	rows := map[int]int{1: 8, 2: 4, 3: 4, 4: 2, 6: 1}[s.columns()]
	e := expect{split: s, rows: rows, ring: s.param("ring"), n: s.param("n")}
	alpha, counts := s.param("alpha"), s.param("counts")
	for h := range 2 {
		blocks := s.groups()
		switch rows {
		case 1:
			s.SHLQ(imm(2), blocks)
		case 2:
			s.SHLQ(imm(1), blocks)
		case 8:
			s.SHRQ(imm(1), blocks)
		}
		from, into := s.GP64(), s.GP64()
		s.LEAQ(at(alpha, h*s.rowBytes()/2), from)
		s.LEAQ(at(counts, h*16*s.half*s.tableBytes()), into)
		s.times(blocks, func() {
			e.entries(from, into)
			s.advance(4*rows, from)
			s.advance(rows*2*s.tableBytes(), into)
		})
	}
	if !s.free {
		e.continued(alpha, counts, 16*s.half*2*s.tableBytes())
	}
	restore()
	s.finish()
}

// expect has the registers of the matrix product; rows is the number of rows of a block.
type expect struct {
	split
	rows    int
	ring, n integer
}

// entries computes one block: some rows of alpha, and all columns.
func (e expect) entries(from, into integer) {
	sums := e.zeros(e.rows * e.columns())
	alpha, ring, n := e.GP64(), e.GP64(), e.GP64()
	e.MOVQ(from, alpha)
	e.MOVQ(e.ring, ring)
	e.MOVQ(e.n, n)
	e.times(n, func() {
		r := make([]vector, e.columns())
		for v := range r {
			r[v] = e.load(at(ring, 32*v))
		}
		for i := range e.rows {
			a := e.broadcast(at(alpha, 4*i))
			for v := range r {
				e.VFMADD231PS(r[v], a, sums[i*len(r)+v])
			}
		}
		e.advance(e.rowBytes(), alpha, ring)
	})
	for i, s := range sums {
		e.addDoubles(s, at(into, 64*i))
	}
}

// continued computes the products place by place, stored bytes after counts.
func (e expect) continued(alpha, counts integer, bytes int) {
	sums := e.zeros(2 * e.half)
	e.times(e.n, func() {
		for v := range e.half {
			inside := e.load(at(e.ring, 32*(e.half+v)))
			e.VFMADD231PS(at(alpha, 32*v), inside, sums[v])
			e.VFMADD231PS(at(alpha, 32*(e.half+v)), inside, sums[e.half+v])
		}
		e.advance(e.rowBytes(), alpha, e.ring)
	})
	for i, s := range sums {
		e.addDoubles(s, at(counts, bytes+64*i))
	}
}
