// SPDX-License-Identifier: Apache-2.0

package kernel

// dense is sum-product for rows that fit into one register.
type dense struct {
	scratch
	beta         []float32 // [T+1][Stride]
	exponentiate func(rows *float32, n int, floor *float32) (top float64, lowest float32)
	recurse      func(psi, alpha, beta, a, b *float32, n int, forward, back, ends *float32) (exponent int)
	marginals    func(rows, alpha, beta, a, z *float32, n int, sums *float64) (peak float32)
}

func (d *dense) run(scores []float32, t *Transitions[float32], counts *Counts, _ *halt) (logZ float64, ok bool) {
	stride := d.layout.Stride
	n := len(scores) / stride
	d.grow(n)
	if len(d.beta) < (n+1)*stride {
		d.beta = make([]float32, len(d.alpha))
	}
	clear(d.sums)
	first, alpha, beta := &scores[0], d.alpha[stride:], d.beta
	top, lowest := d.exponentiate(first, n, &d.floor[0])
	d.check.findLow(scores, lowest)
	d.a[0] = 1
	exponent := d.recurse(first, &alpha[0], &beta[0], &d.a[0], &d.b[0], n, &t.forward[0], &t.back[0], &t.ends[0])
	// One row more, for kernels that take two at a time.
	copy(alpha[n*stride:], t.start())
	copy(beta[n*stride:], t.start())
	peak := d.marginals(first, &alpha[0], &beta[0], &d.a[0], &d.z[0], n, &d.sums[0])
	return d.finish(top, exponent, peak, scores, t, counts)
}
