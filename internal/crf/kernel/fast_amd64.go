// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"math"

	"golang.org/x/sys/cpu"
)

func newSingles() *singles {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	return &singles{
		dot: func(x, y []float32) float64 { return dotAVX2(&x[0], &y[0], len(x)) },
		axpy: func(a float32, x, y []float32) {
			axpyAVX2(a, &x[0], &y[0], len(x))
		},
		addScaled: func(z, x []float32, a float32, y []float32) {
			addScaledAVX2(&z[0], &x[0], a, &y[0], len(z))
		},
		multiply:   func(z, x, y []float32) { multiplyAVX2(&z[0], &x[0], &y[0], len(z)) },
		diff:       diffFast,
		scaledDiff: scaledDiffFast,
		pairDot:    pairDotFast,
		pairAxpy:   pairAxpyFast,
		gather:     gatherFast,
		items:      itemsFast,
		singles:    singlesFast,
		agree: func(a, b, z []float32, tolerance, least float32) bool {
			return agreeAVX2(&a[0], &b[0], &z[0], len(z), tolerance, least)
		},
		chain: newRunner,
	}
}

// itemsFast does what [addItems] does. The assembly does not check the items;
// [NewLists] has checked them.
func itemsFast(dst []float32, stride int, l *Lists, from, to int, x []float32, r *running) {
	addItemsAVX2(&dst[0], 4*stride, &l.start[from], &l.items[0], to-from, &x[0], &r[0])
}

// singlesFast does what [addSingles] does.
func singlesFast(dst []float32, items []int32, x []float32) {
	addSinglesAVX2(&dst[0], &items[0], len(items), &x[0])
}

// gatherFast does what [gatherScalar] does. The assembly does not check the items;
// [NewLists] has checked them.
func gatherFast(dst, table []float32, l Lists, stride int, bias []float32) {
	start, items, rows := l.start, l.items, l.Len()
	// Empty slices are not read, but the address of a first element is needed.
	if len(table) == 0 {
		table = dst[:stride]
	}
	if len(items) == 0 {
		items = start
	}
	var first *float32
	if len(bias) > 0 {
		first = &bias[0]
	}
	if l.order != nil && l.windows == nil && gatherOrdered(dst, table, start, items, stride, first, &l.order[0]) {
		return
	}
	switch stride {
	case 4:
		gather4AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 8:
		gather8AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 16:
		gather16AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 32:
		gather32AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 48:
		gather48AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 64:
		gather64AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	default:
		gatherColumns(dst, table, start, items, stride, bias)
	}
}

// gatherOrdered gathers rows of some strides in the given order.
func gatherOrdered(dst, table []float32, start, items []int32, stride int, bias *float32, order *uint16) bool {
	rows := len(start) - 1
	switch stride {
	case 4:
		gather4OrderedAVX2(&dst[0], &table[0], &start[0], &items[0], rows, bias, order)
	case 8:
		gather8OrderedAVX2(&dst[0], &table[0], &start[0], &items[0], rows, bias, order)
	case 16:
		gather16OrderedAVX2(&dst[0], &table[0], &start[0], &items[0], rows, bias, order)
	default:
		return false
	}
	return true
}

// gatherColumns gathers rows of any stride, sixteen columns at a time.
func gatherColumns(dst, table []float32, start, items []int32, stride int, bias []float32) {
	const width = 16
	if stride%width != 0 {
		gatherScalar(dst, table, start, items, stride, bias)
		return
	}
	for at := 0; at < stride; at += width {
		var first *float32
		if len(bias) > 0 {
			first = &bias[at]
		}
		gatherColumnsAVX2(&dst[at], &table[at], &start[0], &items[0], len(start)-1, first, 4*stride)
	}
}

// These pass whole groups of eight to the assembly; there may be none.

func diffFast(z []BFloat16, x, y []float32) {
	if len(z) > 0 {
		diffAVX2((*uint16)(&z[0]), &x[0], &y[0], len(z))
	}
}

func scaledDiffFast(z []BFloat16, x, y, by []float32) {
	if len(z) > 0 {
		scaledDiffAVX2((*uint16)(&z[0]), &x[0], &y[0], &by[0], len(z))
	}
}

func pairDotFast(s, y, v []BFloat16, g []float32) (p PairProducts) {
	if len(g) == 0 {
		return p
	}
	var sums [4][4]float64
	pairDotAVX2((*uint16)(&s[0]), (*uint16)(&y[0]), (*uint16)(&v[0]), &g[0], len(g), &sums[0][0])
	for i, into := range []*float64{&p.SG, &p.SV, &p.YG, &p.YV} {
		*into = (sums[i][0] + sums[i][1]) + (sums[i][2] + sums[i][3])
	}
	return p
}

func pairAxpyFast(a float32, s []BFloat16, b float32, y []BFloat16, x []float32) {
	if len(x) > 0 {
		pairAxpyAVX2(a, (*uint16)(&s[0]), b, (*uint16)(&y[0]), &x[0], len(x))
	}
}

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

// runAll runs the recursions sequence by sequence in the same scratch, and all other
// steps for all sequences together.
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

// denseSums accumulates results over all sequences.
type denseSums struct {
	product     float64 // product of the sums of the last rows of alpha, not yet in log
	log         float64 // logarithms of earlier products
	exponent    int     // power of two taken out of alpha
	peak        float32
	transitions int
	agree       bool
}

// multiply combines many sums, so that one logarithm serves all of them.
func (s *denseSums) multiply(last float64) {
	if s.product *= last; !(s.product > 1e-200 && s.product < 1e200) {
		s.log += math.Log(s.product)
		s.product = 1
	}
}

// logZ leaves out the rows' maxima.
func (s *denseSums) logZ() float64 {
	return s.log + math.Log(s.product) + float64(s.exponent)*math.Ln2
}

// sequence processes one sequence.
func (d *dense) sequence(s *denseSums, rows []float32, t *Transitions[float32]) {
	stride := d.layout.Stride
	n := len(rows) / stride
	first, alpha, beta, z := &rows[0], d.alpha[stride:], d.beta, d.z[:n]
	d.a[0] = 1
	s.exponent += d.recurse(first, &alpha[0], &beta[0], &d.a[0], &d.b[0], n, &t.forward[0], &t.back[0], &t.ends[0])
	// One extra row, for kernels that take two at a time.
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
