// SPDX-License-Identifier: Apache-2.0

package main

// recurse4 has alpha[t] in the lower half of a register and psi*beta of the mirrored token
// in the upper half: one chain of instructions computes both directions. The chain is kept
// short: psi is multiplied into the rows of M beforehand, and the factor is that of two
// tokens ago.
func (g *generator) recurse4() {
	g.function("recurse4AVX2", recursion, recursionDoc)
	restore := g.flushing()
	r, n := g.recursers(16)
	rows := g.rows4()
	state := r.first4()
	factor := g.YMM()
	renew := func() {
		g.VMOVAPS(state, factor)
		g.fold(factor, g.add)
		g.factor(factor)
	}
	renew()
	g.pairs(n, func() {
		r.step()
		r.ones()
		r.step4(state, rows, nil)
	}, func() {
		r.step()
		b := g.XMM()
		g.VEXTRACTF128(imm(1), factor, b)
		r.factors(factor.AsX(), b)
		r.step4(state, rows, factor)
		renew()
	})
	restore()
	g.Store(r.exponent, g.ReturnIndex(0))
	g.finish()
}

// rows4 are row i of M beside column i, for the three possible states.
func (g *generator) rows4() []vector {
	forward, back := g.param("forward"), g.param("back")
	rows := make([]vector, 3)
	for i := range rows {
		rows[i] = g.YMM()
		g.VMOVUPS(at(forward, 16*i), rows[i].AsX())
		g.VINSERTF128(imm(1), at(back, 16*i), rows[i], rows[i])
	}
	return rows
}

// psi4 is psi of both tokens.
func (r recursers) psi4() vector {
	e := r.YMM()
	r.VMOVUPS(at(r.psi, 0), e.AsX())
	r.VINSERTF128(imm(1), at(r.psiBack, 0), e, e)
	return e
}

// first4 makes alpha[0] and beta[n-1].
func (r recursers) first4() vector {
	ends := r.load(at(r.param("ends"), 0))
	state := r.psi4()
	r.VMULPS(ends, state, state)
	r.VMOVUPS(state.AsX(), at(r.alpha, 0))
	r.VEXTRACTF128(imm(1), ends, at(r.beta, 0))
	return state
}

// step4 makes alpha[t] = psi[t] (alpha[t-1] M) and beta the same way from the
// right; it stores them.
func (r recursers) step4(state vector, rows []vector, factor vector) {
	e := r.psi4()
	if factor != nil {
		r.VMULPS(factor, e, e)
	}
	weighted, plain := make([]vector, 3), r.YMM()
	for i, row := range rows {
		weighted[i] = r.YMM()
		r.VMULPS(row, e, weighted[i])
		t := r.YMM()
		r.VPERMILPS(pick(i), state, t)
		if i == 0 {
			r.VMULPS(row, t, plain)
		} else {
			r.VFMADD231PS(row, t, plain)
		}
		if i < 2 {
			r.VMULPS(t, weighted[i], weighted[i])
		} else {
			r.VFMADD231PS(t, weighted[2], weighted[0])
		}
	}
	r.VADDPS(weighted[1], weighted[0], state)
	if factor != nil {
		r.VMULPS(factor, plain, plain)
	}
	r.VMOVUPS(state.AsX(), at(r.alpha, 0))
	r.VEXTRACTF128(imm(1), plain, at(r.beta, 0))
}

// marginals4 takes two tokens at a time.
func (g *generator) marginals4() {
	g.function("marginals4AVX2", "func(rows, alpha, beta, a, z *float32, n int, sums *float64) (peak float32)",
		"turns n rows of psi into marginals, fills z, adds the expectations to sums, three rows of 4, and returns the greatest number in r. The row before alpha must be 0; when n is odd, row n of alpha and of beta must have a product of 1.")
	m := g.marginals()
	n := g.param("n")
	pair := func(psi vector, store func(p vector)) { m.pair(psi, store) }
	g.inPieces(g.halved(n), pieceRows/2, func(count integer) {
		m.clear(3)
		g.times(count, func() {
			pair(g.load(at(m.rows, 0)), func(p vector) { g.VMOVUPS(p, at(m.rows, 0)) })
			m.next(32, 8)
		})
		m.flush4()
	})
	g.ifOdd(n, func() {
		m.clear(3)
		psi := g.YMM()
		g.VMOVUPS(at(m.rows, 0), psi.AsX())
		pair(psi, func(p vector) { g.VMOVUPS(p.AsX(), at(m.rows, 0)) })
		m.flush4()
	})
	m.returnPeak()
}

// marginals has the registers of the last pass over the tokens.
type marginals struct {
	*generator
	rows, alpha, beta, a, z, sums integer
	one, peak                     vector
	counts                        []vector
	restore                       func()
}

func (g *generator) marginals() *marginals {
	return &marginals{
		generator: g, restore: g.flushing(),
		rows: g.param("rows"), alpha: g.param("alpha"), beta: g.param("beta"),
		a: g.param("a"), z: g.param("z"), sums: g.param("sums"),
		one: g.load(g.single(1)), peak: g.zero(),
		counts: []vector{g.YMM(), g.YMM(), g.YMM(), g.YMM(), g.YMM(), g.YMM(), g.YMM()},
	}
}

// clear zeroes the sums of a piece.
func (m *marginals) clear(n int) {
	for _, v := range m.counts[:n] {
		m.VXORPS(v, v, v)
	}
}

func (m *marginals) next(rowBytes, factorBytes int) {
	m.advance(rowBytes, m.rows, m.alpha, m.beta)
	m.advance(factorBytes, m.a, m.z)
}

// inPieces calls body for pieces of at most size of n, and counts n down to 0.
func (g *generator) inPieces(n integer, size int, body func(count integer)) {
	again, done := g.label("piece"), g.label("pieces")
	g.Label(again)
	g.TESTQ(n, n)
	g.JZ(to(done))
	count := g.GP64()
	g.MOVQ(num(size), count)
	g.CMPQ(n, count)
	g.CMOVQLT(n, count)
	g.SUBQ(count, n)
	body(count)
	g.JMP(to(again))
	g.Label(done)
}

// pair processes two tokens; the second has the factor 1.
func (m *marginals) pair(psi vector, store func(p vector)) {
	beta, p := m.load(at(m.beta, 0)), m.YMM()
	m.VMULPS(at(m.alpha, 0), beta, p)
	z := m.YMM()
	m.VMOVAPS(p, z)
	m.fold(z, m.add)
	second := m.XMM()
	m.VEXTRACTF128(imm(1), z, second)
	m.VMOVSS(z.AsX(), at(m.z, 0))
	m.VMOVSS(second, at(m.z, 4))
	m.VDIVPS(z, m.one, z)
	m.VMULPS(z, p, p)
	store(p)
	f := m.broadcast(at(m.a, 0))
	m.VBLENDPS(imm(0xf0), m.one, f, f)
	m.VMULPS(z, f, f)
	m.VMULPS(f, beta, beta)
	m.VMULPS(psi, beta, beta)
	m.VMAXPS(beta, m.peak, m.peak)
	before := m.load(at(m.alpha, -16))
	for i := range 3 {
		t := m.YMM()
		m.VPERMILPS(pick(i), before, t)
		m.VFMADD231PS(t, beta, m.counts[i])
	}
}

// flush4 adds both halves of the counts to the sums.
func (m *marginals) flush4() {
	for i, v := range m.counts[:3] {
		low, high, half := m.YMM(), m.YMM(), m.XMM()
		m.VEXTRACTF128(imm(1), v, half)
		m.VCVTPS2PD(v.AsX(), low)
		m.VCVTPS2PD(half, high)
		m.VADDPD(high, low, low)
		m.VADDPD(at(m.sums, 32*i), low, low)
		m.VMOVUPD(low, at(m.sums, 32*i))
	}
}

func (m *marginals) returnPeak() {
	m.restore()
	m.foldAll(m.peak, m.max)
	m.Store(m.peak.AsX(), m.ReturnIndex(0))
	m.finish()
}
