// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// dense is sum-product for rows that fit into one register.
type dense struct {
	scratch
	beta         []float32 // [T+1][Stride]
	exponentiate func(rows *float32, n int, floor *float32) (top float64, lowest float32)
	recurse      func(psi, alpha, beta, a, b *float32, n int, forward, back, ends *float32) (exponent int)
	marginals    func(rows, alpha, beta, a, z *float32, n int, sums *float64) (peak float32)
}

func (d *dense) run(scores []float32, t *Transitions[float32], counts *Counts, _ *halt) (logZ float64, ok bool) {
	starts := [2]int32{0, int32(len(scores) / d.layout.Stride)}
	return d.runAll(scores, starts[:], t, counts)
}

// runAll does one sequence after the other in the same scratch, as if each were alone,
// and all else for all of them together.
func (d *dense) runAll(scores []float32, starts []int32, t *Transitions[float32], counts *Counts) (logZ float64, ok bool) {
	stride := d.layout.Stride
	n := len(scores) / stride
	if n == 0 {
		return 0, true
	}
	d.grow(n)
	if len(d.beta) < len(d.alpha) {
		d.beta = make([]float32, len(d.alpha))
	}
	clear(d.sums)
	top, lowest := d.exponentiate(&scores[0], n, &d.floor[0])
	d.check.findLow(scores, lowest)
	s, rest := denseSums{product: 1, agree: true}, scores
	for i, start := range starts[:len(starts)-1] {
		if own := int(starts[i+1]-start) * stride; own > 0 {
			d.sequence(&s, rest[:own], t)
			rest = rest[own:]
		}
	}
	if logZ = top + s.logZ(); !s.agree || !d.check.good(logZ, s.peak, scores) {
		return 0, false
	}
	return d.hand(logZ, s.transitions, n, t, counts)
}

// denseSums are what the sequences have together.
type denseSums struct {
	product     float64 // of the sums of the last rows of alpha,
	log         float64 // to which the logarithm of what was taken out of it belongs,
	exponent    int     // and these powers of two
	peak        float32
	transitions int
	agree       bool
}

// multiply makes one logarithm do for many sums.
func (s *denseSums) multiply(last float64) {
	if s.product *= last; !(s.product > 1e-200 && s.product < 1e200) {
		s.log += math.Log(s.product)
		s.product = 1
	}
}

// logZ is without the rows' maxima.
func (s *denseSums) logZ() float64 {
	return s.log + math.Log(s.product) + float64(s.exponent)*math.Ln2
}

// sequence does one of them.
func (d *dense) sequence(s *denseSums, rows []float32, t *Transitions[float32]) {
	stride := d.layout.Stride
	n := len(rows) / stride
	first, alpha, beta, z := &rows[0], d.alpha[stride:], d.beta, d.z[:n]
	d.a[0] = 1
	s.exponent += d.recurse(first, &alpha[0], &beta[0], &d.a[0], &d.b[0], n, &t.forward[0], &t.back[0], &t.ends[0])
	// One row more, for kernels that take two at a time.
	copy(alpha[n*stride:], t.start())
	copy(beta[n*stride:], t.start())
	s.peak = max(s.peak, d.marginals(first, &alpha[0], &beta[0], &d.a[0], &z[0], n, &d.sums[0]))
	last := 0.0
	for _, v := range alpha[(n-1)*stride:][:stride] {
		last += float64(v)
	}
	s.multiply(last)
	s.agree = d.check.agree(d.a, d.b, z) && s.agree
	s.transitions += n - 1
}
