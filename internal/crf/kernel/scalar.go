// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// forward fills psi, alpha and a, and returns log Z and the least score that a
// state has below the maximum of its row.
func (c *Chain[F]) forward(scores []F, t *Transitions[F]) (logZ float64, lowest F) {
	s, product := c.layout.Stride, 1.0
	for at := 0; at < len(scores); at += s {
		psi, alpha := c.psi[at:at+s], c.alpha[at:at+s]
		top, low := c.exponentiate(psi, scores[at:at+s])
		logZ, lowest = logZ+float64(top), min(lowest, low)
		if at == 0 {
			copy(alpha, c.start)
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
func (c *Chain[F]) exponentiate(psi, scores []F) (top, lowest F) {
	clear(psi)
	top = c.top(scores)
	floor := F(c.limit.floor)
	for _, j := range c.places {
		d := scores[j] - top
		lowest = min(lowest, d)
		psi[j] = F(math.Exp(float64(max(d, floor))))
	}
	return top, lowest
}

// step is next[j] = sum_i prev[i] M[i][j].
func (c *Chain[F]) step(next, prev []F, t *Transitions[F]) {
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

// backward turns scores into marginals, psi into r, and fills b, z and peak.
func (c *Chain[F]) backward(scores []F, t *Transitions[F]) {
	s := c.layout.Stride
	beta, prev := c.beta[:s], c.beta[s:]
	copy(beta, c.end)
	for at := len(scores) - s; at >= 0; at -= s {
		p, r, alpha := scores[at:at+s], c.psi[at:at+s], c.alpha[at:at+s]
		z, total := F(0), F(0)
		for j, b := range beta {
			p[j] = alpha[j] * b
			z += p[j]
			r[j] *= b
			total += b
		}
		scale(1/z, p)
		c.stepBack(prev, r, t)
		sum := F(0)
		for _, b := range prev {
			sum += b
		}
		scale(1/sum, prev)
		f := c.a[at/s] / z
		scale(f, r)
		c.z[at/s], c.b[at/s], c.peak[at/s] = z, 1/sum, f*total
		beta, prev = prev, beta
	}
}

// stepBack is prev[i] = sum_j M[i][j] r[j].
func (c *Chain[F]) stepBack(prev, r []F, t *Transitions[F]) {
	s, lanes := c.layout.Stride, c.layout.Lanes
	clear(prev)
	for j, v := range r[:c.layout.columns()] {
		axpy(v, t.back[j*s:(j+1)*s], prev)
	}
	if len(t.lanes) > 0 {
		for j, inside := range r[lanes:] {
			prev[j] += t.lanes[j] * inside
			prev[lanes+j] += t.lanes[lanes+j] * inside
		}
	}
}

// expect adds sum_t alpha[t-1][i] r[t][j] to the counts.
func (c *Chain[F]) expect(n int, counts *Counts) {
	s, columns, lanes := c.layout.Stride, c.layout.columns(), c.layout.Lanes
	continued := counts.values[c.layout.entries():]
	for at := s; at < n*s; at += s {
		alpha, r := c.alpha[at-s:at], c.psi[at:at+s]
		for _, i := range c.places {
			into := counts.values[i*columns : (i+1)*columns]
			a := float64(alpha[i])
			for j, v := range r[:columns] {
				into[j] += a * float64(v)
			}
		}
		for j := range len(continued) / 2 {
			inside := float64(r[lanes+j])
			continued[j] += float64(alpha[j]) * inside
			continued[lanes+j] += float64(alpha[lanes+j]) * inside
		}
	}
}
