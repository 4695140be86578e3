// SPDX-License-Identifier: Apache-2.0

package kernel

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
	scalar *scalar[F] // nil when fast is not
	fast   runner
	batch  batcher // nil, or fast when it does many sequences as one
	counts *Counts // of many sequences, nil until needed
	halt   halt
}

// halt ends a long sequence early.
type halt struct {
	asked func() bool // nil: it goes on to its end
	yes   bool        // what that has said
}

// now asks.
func (h *halt) now() bool {
	h.yes = h.yes || h.asked != nil && h.asked()
	return h.yes
}

// Until has Run give up soon after done begins to be true: Run is then not ok. done
// is asked before every [longest] tokens or less, except by kernels of rows of up to
// eight numbers, which do a million tokens in the time that others take for a tenth
// of that.
func (c *Chain[F]) Until(done func() bool) { c.halt.asked = done }

// NewChain makes the scratch for sequences of one layout. In float32 it computes
// by the assembly that [Name] tells of for up to 31 labels, or up to 15 when every
// transition is allowed, and by the scalar kernels otherwise.
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

// Run turns scores, [T][Stride], the logarithms of the potentials, with the
// padding of [Bias], into the marginals P(y_t = j), whose padding is 0. It adds
// the expected number of every transition divided by its exp(w) to counts, unless
// that is nil, and returns log Z.
//
// It is not ok when numbers left the range of F: counts are then as they were,
// and scores are lost. The caller does the sequence again in float64.
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

// RunAll does sequences that follow each other in scores: sequence i has the rows from
// starts[i] up to starts[i+1], both less starts[0]; it may have none. It returns the
// sum of their log Z. When one of them is not ok, counts are as they were, and the
// scores of all are lost. Many short sequences take less time than one by one.
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

// runEach does one sequence after the other, up to the first that is not ok.
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

// checkStarts panics unless sequences have n rows together.
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
