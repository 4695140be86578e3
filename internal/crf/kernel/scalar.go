// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// scalar is the scratch of a [Chain] and does its work in plain Go.
type scalar[F Float] struct {
	layout Layout
	check  check[F]
	places []int

	psi     []F       // [T][Stride], later r
	alpha   []F       // [T][Stride]
	a, b, z []F       // [T]
	beta    []F       // [2][Stride]
	sums    []float64 // expectations, as in Counts
	part    []F       // the same of a piece
}

func newScalar[F Float](l Layout) *scalar[F] {
	return &scalar[F]{
		layout: l, check: newCheck[F](l), places: l.places(),
		beta: make([]F, 2*l.Stride),
		sums: make([]float64, l.entries()+l.continuations()),
		part: make([]F, l.entries()+l.continuations()),
	}
}

func (c *scalar[F]) run(scores []F, t *Transitions[F], counts *Counts, h *halt) (logZ float64, ok bool) {
	n := len(scores) / c.layout.Stride
	c.grow(n)
	logZ, lowest := c.forward(scores, t, h)
	c.check.findLow(c.psi[:len(scores)], lowest)
	peak := c.backward(scores, t, h)
	if h.yes || !c.check.agree(c.a, c.b, c.z[:n]) || !c.check.good(logZ, peak, scores) {
		return 0, false
	}
	if counts == nil {
		return logZ, true
	}
	c.expect(n, h)
	if h.yes || !c.check.complete(c.sums, t, n) {
		return 0, false
	}
	counts.add(c.sums)
	return logZ, true
}

func (c *scalar[F]) grow(n int) {
	if len(c.z) >= n {
		return
	}
	n += n / 4
	c.psi, c.alpha = make([]F, n*c.layout.Stride), make([]F, n*c.layout.Stride)
	c.a, c.b, c.z = make([]F, n), make([]F, n), make([]F, n)
}

// forward fills psi, alpha and a, and returns log Z and the least score that a
// state has below the maximum of its row.
func (c *scalar[F]) forward(scores []F, t *Transitions[F], h *halt) (logZ float64, lowest F) {
	s, product := c.layout.Stride, 1.0
	for at := 0; at < len(scores); at += s {
		if at/s%longest == 0 && h.now() {
			break
		}
		psi, alpha := c.psi[at:at+s], c.alpha[at:at+s]
		top, low := c.exponentiate(psi, scores[at:at+s])
		logZ, lowest = logZ+float64(top), min(lowest, low)
		if at == 0 {
			copy(alpha, t.start())
		} else {
			c.step(alpha, c.alpha[at-s:at], t)
		}
		sum := F(0)
		for j, p := range psi {
			alpha[j] *= p
			sum += alpha[j]
		}
		c.a[at/s] = 1 / sum
		scale(1/sum, alpha)
		// One logarithm per many factors.
		if product *= float64(sum); !(product > 1e-40 && product < 1e40) {
			logZ += math.Log(product)
			product = 1
		}
	}
	return logZ + math.Log(product), lowest
}

// exponentiate fills one row of psi.
func (c *scalar[F]) exponentiate(psi, scores []F) (top, lowest F) {
	clear(psi)
	top = scores[0]
	for _, j := range c.places {
		top = max(top, scores[j])
	}
	floor := F(c.check.limit.floor)
	for _, j := range c.places {
		d := scores[j] - top
		lowest = min(lowest, d)
		psi[j] = max(d, floor)
	}
	exp(psi, c.places)
	return top, lowest
}

// step is next[j] = sum_i prev[i] M[i][j].
func (c *scalar[F]) step(next, prev []F, t *Transitions[F]) {
	columns, lanes := c.layout.columns(), c.layout.Lanes
	clear(next)
	for _, i := range c.places {
		axpy(prev[i], t.forward[i*columns:(i+1)*columns], next[:columns])
	}
	if len(t.lanes) > 0 {
		for j, begun := range prev[:lanes] {
			next[lanes+j] = begun*t.lanes[j] + prev[lanes+j]*t.lanes[lanes+j]
		}
	}
}

// backward turns scores into marginals and psi into r, of which it returns the
// greatest number, and fills b and z.
func (c *scalar[F]) backward(scores []F, t *Transitions[F], h *halt) (peak F) {
	s := c.layout.Stride
	beta, prev := c.beta[:s], c.beta[s:]
	copy(beta, t.end())
	for at := len(scores) - s; at >= 0; at -= s {
		if at/s%longest == 0 && h.now() {
			break
		}
		p, r, alpha := scores[at:at+s], c.psi[at:at+s], c.alpha[at:at+s]
		z := F(0)
		for j, b := range beta {
			p[j] = alpha[j] * b
			z += p[j]
		}
		scale(1/z, p)
		f := c.a[at/s] / z
		for j, b := range beta {
			beta[j] = b * r[j]
			r[j] *= b * f
			peak = max(peak, r[j])
		}
		c.stepBack(prev, beta, t)
		sum := F(0)
		for _, b := range prev {
			sum += b
		}
		scale(1/sum, prev)
		c.z[at/s], c.b[at/s] = z, 1/sum
		beta, prev = prev, beta
	}
	return peak
}

// stepBack is prev[i] = sum_j M[i][j] q[j], where q = psi beta.
func (c *scalar[F]) stepBack(prev, q []F, t *Transitions[F]) {
	s, lanes := c.layout.Stride, c.layout.Lanes
	clear(prev)
	for j, v := range q[:c.layout.columns()] {
		axpy(v, t.back[j*s:(j+1)*s], prev)
	}
	if len(t.lanes) > 0 {
		for j, inside := range q[lanes:] {
			prev[j] += t.lanes[j] * inside
			prev[lanes+j] += t.lanes[lanes+j] * inside
		}
	}
}

// expect makes sums of alpha[t-1][i] r[t][j] over the tokens, in pieces.
func (c *scalar[F]) expect(n int, h *halt) {
	clear(c.sums)
	for from := 1; from < n && !h.now(); from += longest {
		clear(c.part)
		for t := from; t < min(from+longest, n); t++ {
			c.expectOne(t)
		}
		for i, v := range c.part {
			c.sums[i] += float64(v)
		}
	}
}

func (c *scalar[F]) expectOne(t int) {
	s, columns, lanes := c.layout.Stride, c.layout.columns(), c.layout.Lanes
	alpha, r := c.alpha[(t-1)*s:t*s], c.psi[t*s:(t+1)*s]
	for _, i := range c.places {
		axpy(alpha[i], r[:columns], c.part[i*columns:(i+1)*columns])
	}
	continued := c.part[c.layout.entries():]
	for j := range len(continued) / 2 {
		continued[j] += alpha[j] * r[lanes+j]
		continued[lanes+j] += alpha[lanes+j] * r[lanes+j]
	}
}
