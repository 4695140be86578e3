// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// history is what L-BFGS knows of the curvature: the last steps and what they did
// to the gradient, oldest first. Time goes into reading them, so they are kept in
// bfloat16 and read twice per iteration: once for all inner products, from which
// the two-loop recursion is done on coefficients (Chen, Wang and Zhou 2014), and
// once to add them up. Rounding changes what curvature is remembered a little, and
// never what the gradient is.
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

// curved is the least s.y / y.y of a pair that is kept.
const curved = 1e-12

// remember stores the step from one point to the next and the change of the
// gradient, unless the objective did not curve upwards along it. A full memory
// forgets its oldest pair.
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

// direct makes direction -H g. Without history it is -g, in the metric, made at most one long.
func (h *history[F]) direct(ctx context.Context, direction, g []F) error {
	err := h.within(ctx, direction, h.metric.gradient(g))
	h.metric.step(direction)
	return err
}

// within does so in the metric.
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

// complete gives the newest pair its products.
func (h *history[F]) complete(products []kernel.PairProducts) {
	m := h.len()
	newest := h.pairs[m-1]
	newest.sy, newest.yy, newest.ss = newest.sy[:0], newest.yy[:0], products[m].SV
	for _, p := range products[:m] {
		newest.sy, newest.yy = append(newest.sy, p.SV), append(newest.yy, p.YV)
	}
}

// last are up to n newest pairs, without their products and out of the metric: it ends
// the history.
func (h *history[F]) last(ctx context.Context, n int) ([]*pair, error) {
	last := make([]*pair, min(n, h.len()))
	err := parallel.Do(ctx, h.workers, len(last), func(_, i int) {
		p := h.pairs[h.len()-len(last)+i]
		h.metric.plain(p)
		last[i] = &pair{s: p.s, y: p.y}
	})
	return last, err
}

// resume begins with the newest pairs of another minimisation. g is any vector as
// long.
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

// vectorPiece is how much of a long vector is done at a time: what is used again
// and again fits into the nearest cache. Sums of pieces are added in order, so
// that the number of workers cannot show.
const vectorPiece = 1 << 12

// multiply makes the inner products of every s and y with g and with the newest y,
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

// addUp adds rows of m to the first one.
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

// recurse is the two-loop recursion for -H g in which vectors are combinations of g
// and the pairs. products are those of the pairs with g.
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

// scale is what the inverse Hessian is taken for where no pair tells: a mean of the
// two of Barzilai and Borwein (1988), s.y / y.y to the power 2/3 and s.s / s.y to the
// power 1/3. Most weights are of rare attributes and curve by little more than the
// penalty; the first scale heeds the few of great curvature, which the pairs tell of
// anyway, and makes steps too short for the many.
func scale(ss, sy, yy float64) float64 { return math.Cbrt(ss*sy) / math.Cbrt(yy*yy) }

// combine makes direction that combination.
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
