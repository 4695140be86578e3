// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// dense is sum-product for rows that fit into one register.
type dense struct {
	scratch
	beta         []float32 // as alpha, without its first row
	exponentiate func(rows *float32, n int, floor *float32) (top float64, lowest float32)
	recurse      func(psi, alpha, beta, a, b *float32, n int, forward, back, ends *float32) (exponent int)
	marginals    func(rows, alpha, beta, a, z *float32, n int, sums *float64) (peak float32)
}

func (d *dense) run(scores []float32, t *Transitions[float32], counts *Counts, _ *halt) (logZ float64, ok bool) {
	starts := [2]int32{0, int32(len(scores) / d.layout.Stride)}
	return d.runAll(scores, starts[:], t, counts)
}

// denseGap is how many rows of scratch lie between two sequences: one behind the
// last of each, for kernels that take two rows at a time, and one of zeros before the
// first.
const denseGap = 2

// runAll does every sequence in scratch of its own, as if it were alone, and all else
// for all of them together.
func (d *dense) runAll(scores []float32, starts []int32, t *Transitions[float32], counts *Counts) (logZ float64, ok bool) {
	n, sequences := len(scores)/d.layout.Stride, len(starts)-1
	if n == 0 {
		return 0, true
	}
	d.grow(n + denseGap*sequences)
	if len(d.beta) < len(d.alpha) {
		d.beta = make([]float32, len(d.alpha))
	}
	clear(d.sums)
	top, lowest := d.exponentiate(&scores[0], n, &d.floor[0])
	d.check.findLow(scores, lowest)
	s, row := denseSums{product: 1, agree: true}, 0
	for i, start := range starts[:sequences] {
		if start < starts[i+1] {
			from, to := int(start-starts[0]), int(starts[i+1]-starts[0])
			d.sequence(&s, scores, from, to, row, t)
			row += to - from + denseGap
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

// sequence does the rows from up to to in scratch from a row on.
func (d *dense) sequence(s *denseSums, scores []float32, from, to, row int, t *Transitions[float32]) {
	n, stride := to-from, d.layout.Stride
	alpha, beta, a, b, z := d.alpha[row*stride:], d.beta[row*stride:], d.a[row:], d.b[row:], d.z[row:][:n]
	clear(alpha[:stride])
	alpha = alpha[stride:]
	a[0] = 1
	s.exponent += d.recurse(&scores[from*stride], &alpha[0], &beta[0], &a[0], &b[0], n, &t.forward[0], &t.back[0], &t.ends[0])
	copy(alpha[n*stride:], t.start())
	copy(beta[n*stride:], t.start())
	s.peak = max(s.peak, d.marginals(&scores[from*stride], &alpha[0], &beta[0], &a[0], &z[0], n, &d.sums[0]))
	last := 0.0
	for _, v := range alpha[(n-1)*stride:][:stride] {
		last += float64(v)
	}
	s.multiply(last)
	s.agree = d.check.agree(a, b, z) && s.agree
	s.transitions += n - 1
}
