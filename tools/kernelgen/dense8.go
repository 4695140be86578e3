// SPDX-License-Identifier: Apache-2.0

package main

// places8 are the places that a row of 8 can use.
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

// product8 is the state times a matrix in memory, in four sums.
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

// marginals8 takes one token at a time.
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
