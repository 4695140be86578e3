// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// metric gives every weight its own unit, in which the history stores steps and gradient
// changes: x = unit z, so that df/dz = unit df/dx. The initial inverse Hessian is then a
// multiple of unit^2 instead of the identity: a partial diagonal preconditioner. A weight
// that curves c times as much as by the penalty alone has the unit c^-0.1: it moves less
// than weights of rare attributes, but far more than by 1/c, because the most curved
// weights occur together and their steps add up. That saves a third of the evaluations
// with WNUT17's labels, a fifth with MEDDOCAN's and none with its names; with c^-0.5, the
// full diagonal, each took twice as many.
type metric[F kernel.Float] struct {
	unit, inverse []F
	scaled        []F // of the gradient at hand
}

const (
	metricExponent = 0.1
	octaveParts    = 8  // a unit is that of the least curvature in an eighth of an octave
	mostOctaves    = 30 // upper limit
)

// metric is computed from the weights of the last evaluation, whose results it
// overwrites.
func (p *pass[F]) metric(ctx context.Context) (*metric[F], error) {
	n := p.data.weights()
	m := &metric[F]{unit: make([]F, n), inverse: make([]F, n), scaled: make([]F, n)}
	if err := p.curvature(ctx, m.unit, m.scaled); err != nil {
		return nil, err
	}
	units := unitsOf[F]()
	for i, times := range m.unit {
		m.unit[i] = units[octavePart(float64(times))]
		m.inverse[i] = 1 / m.unit[i]
	}
	return m, nil
}

// unitsOf converts relative curvatures, as multiples of the penalty's, to units.
func unitsOf[F kernel.Float]() (units [octaveParts*mostOctaves + 1]F) {
	for i := range units {
		octave, part := i/octaveParts, float64(i%octaveParts)/octaveParts
		units[i] = F(math.Pow(math.Ldexp(1+part, octave), -metricExponent))
	}
	return units
}

// octavePart numbers the eighths of octaves from 1 up.
func octavePart(v float64) int {
	const fraction, parts = 52, 3 // bits
	part := int(math.Float64bits(max(v, 1))>>(fraction-parts)) - int(math.Float64bits(1)>>(fraction-parts))
	return min(part, octaveParts*mostOctaves)
}

// diff is a step between two points, and the change of the gradient.
func (m *metric[F]) diff(p *pair, from, to *point[F], a, b int) {
	if m == nil {
		kernel.Diff(p.s[a:b], to.x[a:b], from.x[a:b])
		kernel.Diff(p.y[a:b], to.gradient[a:b], from.gradient[a:b])
		return
	}
	kernel.ScaledDiff(p.s[a:b], to.x[a:b], from.x[a:b], m.inverse[a:b])
	kernel.ScaledDiff(p.y[a:b], to.gradient[a:b], from.gradient[a:b], m.unit[a:b])
}

// gradient is g in the metric.
func (m *metric[F]) gradient(g []F) []F {
	if m == nil {
		return g
	}
	kernel.Multiply(m.scaled, g, m.unit)
	return m.scaled
}

// step converts a direction back from the metric.
func (m *metric[F]) step(direction []F) {
	if m != nil {
		kernel.Multiply(direction, direction, m.unit)
	}
}

// plain converts a pair back from the metric.
func (m *metric[F]) plain(p *pair) {
	if m != nil {
		kernel.Scale(p.s, m.unit)
		kernel.Scale(p.y, m.inverse)
	}
}

// curvature fills in the relative curvature of the objective along each weight, as a
// multiple of the penalty's, at the weights of the last evaluation, ignoring dependence
// between tokens:
//
//	1 + sum_tokens P (1 - P) / 2 c2
//
// (times the attribute's value, if it has one). It overwrites the results of that
// evaluation. It also overwrites ones, which has the same length.
func (p *pass[F]) curvature(ctx context.Context, into, ones []F) error {
	if err := parallel.Do(ctx, p.workers, len(p.data.blocks)-1, func(worker, i int) { p.variances(&p.workbench[worker], i) }); err != nil {
		return err
	}
	p.w = nil
	for i := range ones {
		ones[i] = 1
	}
	for _, step := range []func(context.Context, []F, []F) error{p.gatherBundles, p.gatherAttributes} {
		if err := step(ctx, ones, into); err != nil {
			return err
		}
	}
	for arc, n := range p.observed {
		into[arc] = F(2*p.c2 + transitionVariance*n)
	}
	for i := range into {
		into[i] *= F(1 / (2 * p.c2))
	}
	return nil
}

// transitionVariance is the approximate P (1 - P) per transition of the documents.
const transitionVariance = 0.1

// variances makes P (1 - P), the variances of the states, of a block's residuals P - gold.
func (p *pass[F]) variances(b *workbench[F], block int) {
	d, stride := p.data, p.data.layout.Stride
	from, to := int(d.docs[d.blocks[block]]), int(d.docs[d.blocks[block+1]])
	rows := p.residual[from*stride : to*stride]
	for i, v := range rows {
		v = max(v, -v)
		rows[i] = v * (1 - v)
	}
	if len(p.plain) > 0 {
		for t := from; t < to; t++ {
			p.plain[t] = p.residual[t*stride]
		}
	}
	p.subtotal(b, block)
}

// history is the curvature information of L-BFGS: the last steps and gradient changes,
// oldest first. Reading them dominates the time, so they are stored in bfloat16 and read
// twice per iteration: once for all inner products, from which the two-loop recursion is
// computed on coefficients (Chen, Wang and Zhou 2014), and once to add them up. Rounding
// slightly changes the stored curvature, and never the gradient.
type history[F kernel.Float] struct {
	limit, workers int
	metric         *metric[F] // nil, or that of the pairs
	pairs          []*pair
	spare          *pair // room for the next one
}

// pair is a step and the change of the gradient over it, with the inner products
// of y with the s and with the y of every pair from the oldest to this one.
type pair struct {
	s, y   []kernel.BFloat16
	sy, yy []float64
	ss     float64 // of s with itself
}

func newPair(n int) *pair {
	return &pair{s: make([]kernel.BFloat16, n), y: make([]kernel.BFloat16, n)}
}

func (h *history[F]) len() int { return len(h.pairs) }

func (h *history[F]) clear() { h.pairs = nil }

// curved is the smallest s.y / y.y of a stored pair.
const curved = 1e-12

// remember stores a step and its gradient change, unless the objective did not curve
// upwards along it. A full memory drops its oldest pair.
func (h *history[F]) remember(ctx context.Context, from, to *point[F]) error {
	p := h.spare
	if p == nil {
		p = newPair(len(from.x))
	}
	h.spare = p
	parts := make([]kernel.PairProducts, pieces(vectorPiece, len(from.x)))
	err := parallel.Do(ctx, h.workers, len(parts), func(_, i int) {
		a, b := piece(i, vectorPiece, len(from.x))
		h.metric.diff(p, from, to, a, b)
		parts[i] = kernel.PairDot(p.s[a:b], p.y[a:b], p.y[a:b], to.gradient[a:b])
	})
	if sum := addUp(parts, 1)[0]; err != nil || !(sum.SV > curved*sum.YV) {
		return err
	}
	h.spare = nil
	if len(h.pairs) == h.limit {
		h.drop()
	}
	h.pairs = append(h.pairs, p)
	return nil
}

// dropUnusedSince drops the oldest pair.
func (h *history[F]) drop() {
	h.spare, h.pairs = h.pairs[0], h.pairs[1:]
	h.spare.sy, h.spare.yy = nil, nil
	for _, p := range h.pairs {
		p.sy, p.yy = p.sy[1:], p.yy[1:]
	}
}

// direct makes direction -H g. Without history it is -g, in the metric, of length at most
// one.
func (h *history[F]) direct(ctx context.Context, direction, g []F) error {
	err := h.within(ctx, direction, h.metric.gradient(g))
	h.metric.step(direction)
	return err
}

// within does the same in the metric.
func (h *history[F]) within(ctx context.Context, direction, g []F) error {
	if h.len() == 0 {
		kernel.AddScaled(direction, make([]F, len(g)), F(-1/max(norm(g), 1)), g)
		return ctx.Err()
	}
	products, err := h.multiply(ctx, g)
	if err != nil {
		return err
	}
	h.complete(products)
	return h.combine(ctx, h.recurse(products), direction, g)
}

// complete computes the newest pair's products.
func (h *history[F]) complete(products []kernel.PairProducts) {
	m := h.len()
	newest := h.pairs[m-1]
	newest.sy, newest.yy, newest.ss = newest.sy[:0], newest.yy[:0], products[m].SV
	for _, p := range products[:m] {
		newest.sy, newest.yy = append(newest.sy, p.SV), append(newest.yy, p.YV)
	}
}

// last returns up to n newest pairs, without products and outside the metric: it ends the
// history.
func (h *history[F]) last(ctx context.Context, n int) ([]*pair, error) {
	last := make([]*pair, min(n, h.len()))
	err := parallel.Do(ctx, h.workers, len(last), func(_, i int) {
		p := h.pairs[h.len()-len(last)+i]
		h.metric.plain(p)
		last[i] = &pair{s: p.s, y: p.y}
	})
	return last, err
}

// resume starts with the newest pairs of another minimisation. g is any vector of the
// same length.
func (h *history[F]) resume(ctx context.Context, past []*pair, g []F) error {
	for _, p := range past[max(len(past)-h.limit, 0):] {
		h.pairs = append(h.pairs, p)
		products, err := h.multiply(ctx, g)
		if err != nil {
			return err
		}
		if sum := products[h.len()-1]; !(sum.SV > curved*sum.YV) {
			h.pairs = h.pairs[:h.len()-1]
			continue
		}
		h.complete(products)
	}
	return nil
}

// vectorPiece is how much of a long vector is processed at a time, so that reused data
// fits into the nearest cache. Sums of pieces are added in order, so the result does not
// depend on the number of workers.
const vectorPiece = 1 << 12

// multiply computes the inner products of every s and y with g and with the newest y,
// and then of the newest pair with g and with the newest s.
func (h *history[F]) multiply(ctx context.Context, g []F) ([]kernel.PairProducts, error) {
	m := h.len()
	newest, n := h.pairs[m-1], pieces(vectorPiece, len(g))
	parts := make([]kernel.PairProducts, n*(m+1))
	err := parallel.Do(ctx, h.workers, n, func(_, i int) {
		from, to := piece(i, vectorPiece, len(g))
		row := parts[i*(m+1):]
		for k, p := range h.pairs {
			row[k] = kernel.PairDot(p.s[from:to], p.y[from:to], newest.y[from:to], g[from:to])
		}
		row[m] = kernel.PairDot(newest.s[from:to], newest.y[from:to], newest.s[from:to], g[from:to])
	})
	return addUp(parts, m+1), err
}

// addUp adds the other rows of m to the first one.
func addUp(parts []kernel.PairProducts, m int) []kernel.PairProducts {
	sum := parts[:m]
	for i, p := range parts[m:] {
		sum[i%m].Add(p)
	}
	return sum
}

// combination is a vector as the weights of g and of the pairs in it.
type combination struct {
	g    float64
	s, y []float64
}

// recurse is the two-loop recursion for -H g, with vectors as combinations of g and the
// pairs. products are those of the pairs with g.
func (h *history[F]) recurse(products []kernel.PairProducts) combination {
	m := h.len()
	q := combination{g: -1, s: make([]float64, m), y: make([]float64, m)}
	alpha := make([]float64, m)
	for i := m - 1; i >= 0; i-- {
		product := q.g * products[i].SG
		for j := i + 1; j < m; j++ {
			product += q.y[j] * h.pairs[j].sy[i]
		}
		alpha[i] = product / h.pairs[i].sy[i]
		q.y[i] = -alpha[i]
	}
	newest := h.pairs[m-1]
	gamma := scale(newest.ss, newest.sy[m-1], newest.yy[m-1])
	q.g *= gamma
	for i := range q.y {
		q.y[i] *= gamma
	}
	for i, p := range h.pairs {
		product := q.g * products[i].YG
		for j := range h.pairs {
			product += q.y[j] * h.pairs[max(i, j)].yy[min(i, j)]
			if j < i {
				product += q.s[j] * p.sy[j]
			}
		}
		q.s[i] = alpha[i] - product/p.sy[i]
	}
	return q
}

// scale is the initial inverse Hessian: a mean of the two scales of Barzilai and Borwein
// (1988), s.y / y.y to the power 2/3 and s.s / s.y to the power 1/3. Most weights belong
// to rare attributes and curve little more than the penalty; the first scale is dominated
// by the few of large curvature, which the pairs describe anyway, and makes steps too
// short for the others.
func scale(ss, sy, yy float64) float64 { return math.Cbrt(ss*sy) / math.Cbrt(yy*yy) }

// combine computes direction as that combination.
func (h *history[F]) combine(ctx context.Context, q combination, direction, g []F) error {
	return parallel.Do(ctx, h.workers, pieces(vectorPiece, len(g)), func(_, i int) {
		from, to := piece(i, vectorPiece, len(g))
		d := direction[from:to]
		clear(d)
		kernel.Axpy(F(q.g), g[from:to], d)
		for k, p := range h.pairs {
			kernel.PairAxpy(F(q.s[k]), p.s[from:to], F(q.y[k]), p.y[from:to], d)
		}
	})
}
