// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// Chain computes sums over all paths of one sequence (Lafferty et al. 2001;
// Rabiner 1989, section V for the scaling). It is the scratch of one goroutine,
// used for many sequences.
//
// With psi[t][j] = exp(score[t][j] - max_j score[t][j]), a[t] and b[t] any
// factors that keep the numbers near 1, and start and end rows of 0 and 1:
//
//	alpha[0][j]   = psi[0][j] start[j] a[0]
//	alpha[t][j]   = psi[t][j] sum_i alpha[t-1][i] M[i][j] a[t]
//	beta[T-1][i]  = end[i]
//	beta[t-1][i]  = sum_j M[i][j] psi[t][j] beta[t][j] b[t]
//	z[t]          = sum_j alpha[t][j] beta[t][j]
//	P(y_t = j)    = alpha[t][j] beta[t][j] / z[t]
//	r[t][j]       = psi[t][j] beta[t][j] a[t] / z[t]
//	P(i at t-1, j at t) = alpha[t-1][i] M[i][j] r[t][j]
//	log Z         = log sum_j alpha[T-1][j] + sum_t (max_j score[t][j] - log a[t])
//
// It follows that z[t] b[t] = z[t-1] a[t]. A number that was too small for F and
// that mattered was lost by alpha after its token and by beta before it, so it
// shows as a place where this does not hold.
type Chain[F Float] struct {
	layout Layout
	limit  limit
	places []int
	start  []F // [Stride] 1 where a document can start
	end    []F // [Stride] 1 for every state

	psi   []F // [T][Stride], later r
	alpha []F // [T][Stride]
	a, b  []F // [T] factors
	z     []F // [T]
	peak  []F // [T] a bound of the row of r
	beta  []F // [2][Stride]
	low   []int
}

// NewChain makes the scratch for sequences of one layout.
func NewChain[F Float](l Layout) *Chain[F] {
	return &Chain[F]{
		layout: l, limit: limits[F](), places: l.places(),
		start: row[F](l, l.starts(), 1, 0, 0),
		end:   row[F](l, 0, 1, 1, 0),
		beta:  make([]F, 2*l.Stride),
	}
}

// Run turns scores, [T][Stride], the logarithms of the potentials, with the
// padding of [Bias], into the marginals P(y_t = j), whose padding is 0. It adds
// the expected number of every transition divided by its exp(w) to counts, unless
// that is nil, and returns log Z.
//
// It is not ok when numbers left the range of F: counts are then as they were,
// and scores are lost. The caller does the sequence again in float64.
func (c *Chain[F]) Run(scores []F, t *Transitions[F], counts *Counts) (logZ float64, ok bool) {
	if len(scores)%c.layout.Stride != 0 || t.layout != c.layout || counts != nil && counts.layout != c.layout {
		panic("kernel: rows, transitions and counts of different layouts")
	}
	n := len(scores) / c.layout.Stride
	if n == 0 {
		return 0, true
	}
	if t.strange != 0 {
		return 0, false
	}
	c.grow(n)
	logZ, lowest := c.forward(scores, t)
	c.low = c.low[:0]
	if float64(lowest) < c.limit.floor {
		c.findLow(scores)
	}
	c.backward(scores, t)
	if math.IsNaN(logZ) || math.IsInf(logZ, 0) || !c.agrees(n) || !c.lowIsRare(scores) {
		return 0, false
	}
	if counts != nil {
		c.expect(n, counts)
	}
	return logZ, true
}

func (c *Chain[F]) grow(n int) {
	if len(c.z) >= n {
		return
	}
	n += n / 4
	c.psi, c.alpha = make([]F, n*c.layout.Stride), make([]F, n*c.layout.Stride)
	c.a, c.b, c.z, c.peak = make([]F, n), make([]F, n), make([]F, n), make([]F, n)
}

// agrees reports whether every token gives the same Z and r is finite.
func (c *Chain[F]) agrees(n int) bool {
	tolerance, least, most := F(c.limit.tolerance), F(c.limit.least), F(c.limit.most)
	a, b, peak, before := c.a[1:n], c.b[1:n], c.peak[1:n], c.z[0]
	good := before > 0 && before < most
	for t, z := range c.z[1:n] {
		x, y := z*b[t], before*a[t]
		good = good && x-y <= tolerance*x && y-x <= tolerance*x && x > least && peak[t] < most
		before = z
	}
	return good
}

// findLow lists the scores that the floor raises.
func (c *Chain[F]) findLow(scores []F) {
	stride := c.layout.Stride
	for t := 0; t < len(scores); t += stride {
		row := scores[t : t+stride]
		bound := c.top(row) + F(c.limit.floor)
		for _, j := range c.places {
			if row[j] < bound {
				c.low = append(c.low, t+j)
			}
		}
	}
}

// lowIsRare reports whether the raised scores change nothing: raising one can
// only raise its marginal.
func (c *Chain[F]) lowIsRare(marginals []F) bool {
	for _, i := range c.low {
		if !(float64(marginals[i]) < c.limit.tolerance*1e-3) {
			return false
		}
	}
	return true
}

func (c *Chain[F]) top(row []F) F {
	top := row[0]
	for _, j := range c.places[1:] {
		top = max(top, row[j])
	}
	return top
}
