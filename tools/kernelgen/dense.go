// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/mmcloughlin/avo/operand"

// pieceRows is the number of tokens whose expectations are added in float32.
const pieceRows = 64

// dense makes the kernels of rows of 4 and of 8 places. Their recursions wait
// for the last result most of the time, so the two directions run side by side.
func (g *generator) dense() {
	g.recurse4()
	g.recurse8()
	g.marginals4()
	g.marginals8()
}

const recursion = "func(psi, alpha, beta, a, b *float32, n int, forward, back, ends *float32) (exponent int)"

// recursionDoc says what both recursions do.
const recursionDoc = "fills n > 0 rows of alpha and beta and their factors a and b, which are 1 at every other token. It returns the sum of the exponents that a took away. ends are the first row of alpha without psi and the last of beta."

// recursers are pointers that go up with alpha and others that go down with beta.
type recursers struct {
	*generator
	stride           int // bytes
	psi, alpha, a    integer
	psiBack, beta, b integer
	exponent         integer
}

// recursers points the rear at the last row.
func (g *generator) recursers(stride int) (r recursers, n integer) {
	r = recursers{
		generator: g, stride: stride,
		psi: g.param("psi"), alpha: g.param("alpha"), a: g.param("a"),
		psiBack: g.GP64(), beta: g.param("beta"), b: g.param("b"),
		exponent: g.GP64(),
	}
	n = g.param("n")
	last := g.GP64()
	g.DECQ(n)
	g.MOVQ(n, last)
	g.LEAQ(memory{Base: r.b, Index: last, Scale: 4}, r.b)
	g.IMUL3Q(num(stride), last, last)
	g.LEAQ(memory{Base: r.psi, Index: last, Scale: 1}, r.psiBack)
	g.ADDQ(last, r.beta)
	g.XORQ(r.exponent, r.exponent)
	return r, n
}

// step goes on to the next token of each direction.
func (r recursers) step() {
	r.advance(r.stride, r.psi, r.alpha)
	r.advance(-r.stride, r.psiBack, r.beta)
	r.advance(4, r.a)
}

// ones makes the factors of a step 1.
func (r recursers) ones() {
	r.MOVL(operand.U32(0x3f800000), at(r.a, 0))
	r.MOVL(operand.U32(0x3f800000), at(r.b, 0))
	r.advance(-4, r.b)
}

// factors keeps the factors of a step and counts the exponent of a's.
func (r recursers) factors(a, b operand.Op) {
	r.VMOVSS(a, at(r.a, 0))
	r.VMOVSS(b, at(r.b, 0))
	r.advance(-4, r.b)
	e := r.GP64()
	r.MOVL(at(r.a, 0), e.As32())
	r.SHRQ(imm(23), e)
	r.SUBQ(e, r.exponent)
	r.advance(127, r.exponent)
}

// pairs does n steps: a pair of a plain and a scaled one as long as there are
// two, and a plain one if one is left.
func (g *generator) pairs(n integer, plain, scaled func()) {
	g.times(g.halved(n), func() {
		plain()
		scaled()
	})
	g.ifOdd(n, plain)
}

// expectations makes what is done with the expectations of a whole sequence, which
// would else take as long as a short sequence itself.
func (g *generator) expectations() {
	g.function("weighAVX2", "func(sums *float64, weights *float32, n int) float64",
		"is the inner product of n numbers, a multiple of eight.")
	sums, weights := g.param("sums"), g.param("weights")
	totals := g.zeros(2)
	g.times(g.eighths(), func() {
		for i, t := range totals {
			w := g.YMM()
			g.VCVTPS2PD(at(weights, 16*i), w)
			g.VFMADD231PD(at(sums, 32*i), w, t)
		}
		g.advance(64, sums)
		g.advance(32, weights)
	})
	g.VADDPD(totals[1], totals[0], totals[0])
	g.returnDouble(totals[0])

	g.function("increaseAVX2", "func(to, by *float64, n int)", "adds n numbers, a multiple of eight, to others.")
	into, by := g.param("to"), g.param("by")
	g.times(g.eighths(), func() {
		for i := range 2 {
			v := g.load(at(by, 32*i))
			g.VADDPD(at(into, 32*i), v, v)
			g.VMOVUPD(v, at(into, 32*i))
		}
		g.advance(64, into, by)
	})
	g.finish()
}

// eighths is n/8.
func (g *generator) eighths() integer {
	n := g.param("n")
	g.SHRQ(imm(3), n)
	return n
}
