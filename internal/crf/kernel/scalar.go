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

// forward fills psi, alpha and a. It returns log Z and the lowest score of a state
// relative to the maximum of its row.
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

// backward turns scores into marginals and psi into r, and fills b and z. It returns
// the greatest number of r.
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

// expect computes the sums of alpha[t-1][i] r[t][j] over the tokens, in pieces.
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

// Chain computes sums over all paths of one sequence (Lafferty et al. 2001; Rabiner
// 1989, section V for the scaling). It is scratch space for one goroutine and many
// sequences.
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
// It follows that z[t] b[t] = z[t-1] a[t]. If a number that mattered was too small for
// F, alpha lost it after its token and beta before it, so the equation fails there.
type Chain[F Float] struct {
	layout Layout
	scalar *scalar[F] // nil if fast is used
	fast   runner
	batch  batcher // nil, or fast if it processes many sequences at once
	counts *Counts // of many sequences, nil until needed
	halt   halt
}

// halt ends a long sequence early.
type halt struct {
	asked func() bool // nil: never ends early
	yes   bool        // the last result of asked
}

// now calls asked.
func (h *halt) now() bool {
	h.yes = h.yes || h.asked != nil && h.asked()
	return h.yes
}

// Until makes Run give up soon after done starts to return true: Run is then not ok.
// done is called at least every [longest] tokens, except by kernels for rows of up to
// eight numbers: these process a million tokens in the time that others need for a
// tenth of that.
func (c *Chain[F]) Until(done func() bool) { c.halt.asked = done }

// NewChain returns scratch space for sequences of one layout. In float32 it uses the
// assembly that [Name] reports, for up to 31 labels, or up to 15 if every transition is
// allowed. Otherwise it uses the scalar kernels.
func NewChain[F Float](l Layout) *Chain[F] {
	c := &Chain[F]{layout: l}
	if _, single := any(F(0)).(float32); single && fast != nil {
		c.fast = fast.chain(l)
		c.batch, _ = c.fast.(batcher)
	}
	if c.fast == nil {
		c.scalar = newScalar[F](l)
	}
	return c
}

// Run turns scores, [T][Stride], the logarithms of the potentials with the padding of
// [Bias], into the marginals P(y_t = j), with padding 0. It adds the expected number of
// every transition, divided by its exp(w), to counts unless that is nil. It returns log
// Z.
//
// It is not ok if numbers left the range of F: counts are then unchanged, and the
// scores are lost. The caller repeats the sequence in float64.
func (c *Chain[F]) Run(scores []F, t *Transitions[F], counts *Counts) (logZ float64, ok bool) {
	c.check(scores, t, counts)
	c.halt.yes = false
	switch {
	case len(scores) == 0:
		return 0, true
	case t.strange != 0:
		return 0, false
	case c.fast != nil:
		return c.fast.run(any(scores).([]float32), any(t).(*Transitions[float32]), counts, &c.halt)
	}
	return c.scalar.run(scores, t, counts, &c.halt)
}

// RunAll runs consecutive sequences of scores: sequence i has the rows from starts[i]
// up to starts[i+1], both minus starts[0]; it may be empty. It returns the sum of their
// log Z. If one is not ok, counts are unchanged and the scores of all are lost. For
// many short sequences it is faster than separate calls.
func (c *Chain[F]) RunAll(scores []F, starts []int32, t *Transitions[F], counts *Counts) (logZ float64, ok bool) {
	c.check(scores, t, counts)
	checkStarts(starts, len(scores)/c.layout.Stride)
	switch {
	case len(starts) == 2:
		return c.Run(scores, t, counts)
	case t.strange != 0:
		return 0, false
	case c.batch != nil:
		return c.batch.runAll(any(scores).([]float32), starts, any(t).(*Transitions[float32]), counts)
	case counts == nil:
		return c.runEach(scores, starts, t, nil)
	case c.counts == nil:
		c.counts = NewCounts(c.layout)
	}
	c.counts.Clear()
	if logZ, ok = c.runEach(scores, starts, t, c.counts); ok {
		counts.Add(c.counts)
	}
	return logZ, ok
}

// runEach runs one sequence after the other, up to the first that is not ok.
func (c *Chain[F]) runEach(scores []F, starts []int32, t *Transitions[F], counts *Counts) (logZ float64, ok bool) {
	for i, start := range starts[:len(starts)-1] {
		n := int(starts[i+1]-start) * c.layout.Stride
		one, ok := c.Run(scores[:n], t, counts)
		if !ok {
			return 0, false
		}
		logZ, scores = logZ+one, scores[n:]
	}
	return logZ, true
}

func (c *Chain[F]) check(scores []F, t *Transitions[F], counts *Counts) {
	if len(scores)%c.layout.Stride != 0 || t.layout != c.layout || counts != nil && counts.layout != c.layout {
		panic("kernel: rows, transitions and counts of different layouts")
	}
}

// checkStarts panics unless the sequences have n rows in total.
func checkStarts(starts []int32, n int) {
	if len(starts) == 0 || int(starts[len(starts)-1]-starts[0]) != n {
		panic("kernel: sequences that are not all of the rows")
	}
	for i, start := range starts[1:] {
		if start < starts[i] {
			panic("kernel: a sequence that ends before it starts")
		}
	}
}
