// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/mmcloughlin/avo/operand"

// pieceRows is the number of tokens whose expectations are added in float32.
const pieceRows = 64

// dense makes the kernels of rows of 4 and of 8 places. Their recursions mostly wait for the
// previous result, so the two directions run in parallel.
func (g *generator) dense() {
	g.recurse4()
	g.recurse8()
	g.marginals4()
	g.marginals8()
}

const recursion = "func(psi, alpha, beta, a, b *float32, n int, forward, back, ends *float32) (exponent int)"

// recursionDoc documents both recursions.
const recursionDoc = "fills n > 0 rows of alpha and beta and their factors a and b, which are 1 at every other token. It returns the sum of the exponents that a took away. ends are the first row of alpha without psi and the last of beta."

// recursers has pointers that ascend with alpha and others that descend with beta.
type recursers struct {
	*generator
	stride           int // bytes
	psi, alpha, a    integer
	psiBack, beta, b integer
	exponent         integer
}

// recursers sets the descending pointers to the last row.
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

// step advances to the next token of each direction.
func (r recursers) step() {
	r.advance(r.stride, r.psi, r.alpha)
	r.advance(-r.stride, r.psiBack, r.beta)
	r.advance(4, r.a)
}

// ones sets the factors of a step to 1.
func (r recursers) ones() {
	r.MOVL(operand.U32(0x3f800000), at(r.a, 0))
	r.MOVL(operand.U32(0x3f800000), at(r.b, 0))
	r.advance(-4, r.b)
}

// factors stores the factors of a step and counts the exponent of a's.
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

// pairs does n steps: pairs of a plain and a scaled one, and a last plain one if n is odd.
func (g *generator) pairs(n integer, plain, scaled func()) {
	g.times(g.halved(n), func() {
		plain()
		scaled()
	})
	g.ifOdd(n, plain)
}

// expectations makes the functions over the expectations of a whole sequence, which would
// otherwise take as long as a short sequence itself.
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

// places8 are the usable places of a row of 8.
var places8 = []int{0, 1, 2, 3, 5, 6, 7}

// recurse8 has alpha[t] in one register and psi*beta in another.
func (g *generator) recurse8() {
	g.function("recurse8AVX2", recursion, recursionDoc)
	restore := g.flushing()
	r, n := g.recursers(32)
	forward, back := g.param("forward"), g.param("back")
	front, rear := r.first8()
	a, b := g.YMM(), g.YMM()
	renew := func() {
		g.renew8(front, a)
		g.renew8(rear, b)
	}
	renew()
	g.pairs(n, func() {
		r.step()
		r.ones()
		r.ahead8(front, forward, nil)
		r.back8(rear, back, nil)
	}, func() {
		r.step()
		r.factors(a.AsX(), b.AsX())
		r.ahead8(front, forward, a)
		r.back8(rear, back, b)
		renew()
	})
	restore()
	g.Store(r.exponent, g.ReturnIndex(0))
	g.finish()
}

// ahead8 makes alpha[t] = psi[t] (alpha[t-1] M), times a factor if there is one.
func (r recursers) ahead8(state vector, matrix integer, factor vector) {
	next, e := r.product8(state, matrix), r.load(at(r.psi, 0))
	if factor != nil {
		r.VMULPS(factor, e, e)
	}
	r.VMULPS(e, next, state)
	r.VMOVUPS(state, at(r.alpha, 0))
}

// back8 makes beta and its product with psi in the same way.
func (r recursers) back8(state vector, matrix integer, factor vector) {
	next, e := r.product8(state, matrix), r.load(at(r.psiBack, 0))
	if factor != nil {
		r.VMULPS(factor, e, e)
	}
	r.VMULPS(e, next, state)
	if factor != nil {
		r.VMULPS(factor, next, next)
	}
	r.VMOVUPS(next, at(r.beta, 0))
}

// first8 makes alpha[0] and beta[n-1].
func (r recursers) first8() (front, rear vector) {
	ends := r.param("ends")
	front, rear = r.load(at(ends, 0)), r.load(at(ends, 32))
	r.VMOVUPS(rear, at(r.beta, 0))
	r.VMULPS(at(r.psi, 0), front, front)
	r.VMULPS(at(r.psiBack, 0), rear, rear)
	r.VMOVUPS(front, at(r.alpha, 0))
	return front, rear
}

func (g *generator) renew8(state, factor vector) {
	g.VMOVAPS(state, factor)
	g.foldAll(factor, g.add)
	g.factor(factor)
}

// product8 multiplies the state by a matrix in memory, in four sums.
func (g *generator) product8(state vector, matrix integer) vector {
	low, high := g.YMM(), g.YMM()
	g.VPERM2F128(imm(0x00), state, state, low)
	g.VPERM2F128(imm(0x11), state, state, high)
	sums := make([]vector, 0, 4)
	for k, i := range places8 {
		from := low
		if i >= 4 {
			from = high
		}
		t := g.YMM()
		g.VPERMILPS(pick(i%4), from, t)
		row := at(matrix, 32*i)
		if k < 4 {
			g.VMULPS(row, t, t)
			sums = append(sums, t)
			continue
		}
		g.VFMADD231PS(row, t, sums[k-4])
	}
	return g.total(sums)
}

// marginals8 processes one token at a time.
func (g *generator) marginals8() {
	g.function("marginals8AVX2", "func(rows, alpha, beta, a, z *float32, n int, sums *float64) (peak float32)",
		"turns n rows of psi into marginals, fills z, adds the expectations to sums, eight rows of 8, and returns the greatest number in r. The row before alpha must be 0.")
	m := g.marginals()
	n := g.param("n")
	g.inPieces(n, pieceRows, func(count integer) {
		m.clear(7)
		g.times(count, func() {
			m.token()
			m.next(32, 4)
		})
		for k, i := range places8 {
			g.addDoubles(m.counts[k], at(m.sums, 64*i))
		}
	})
	m.returnPeak()
}

func (m *marginals) token() {
	beta, p, z := m.load(at(m.beta, 0)), m.YMM(), m.YMM()
	m.VMULPS(at(m.alpha, 0), beta, p)
	m.VMOVAPS(p, z)
	m.foldAll(z, m.add)
	m.VMOVSS(z.AsX(), at(m.z, 0))
	m.VDIVPS(z, m.one, z)
	m.VMULPS(z, p, p)
	m.VMULPS(m.broadcast(at(m.a, 0)), z, z)
	m.VMULPS(z, beta, beta)
	m.VMULPS(at(m.rows, 0), beta, beta)
	m.VMOVUPS(p, at(m.rows, 0))
	m.VMAXPS(beta, m.peak, m.peak)
	for k, i := range places8 {
		t := m.broadcast(at(m.alpha, 4*i-32))
		m.VFMADD231PS(t, beta, m.counts[k])
	}
}
