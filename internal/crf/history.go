// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"

	"hide/internal/crf/kernel"
)

// history is what L-BFGS knows of the curvature: the last steps and what they did
// to the gradient, oldest first.
type history[F kernel.Float] struct {
	limit, workers int
	s, y           [][]F
	rho            []float64 // 1/(s.y)
	gamma          float64   // s.y / y.y of the last pair
	spareS, spareY []F       // room for the next pair
}

func (h *history[F]) len() int { return len(h.s) }

func (h *history[F]) clear() { h.s, h.y, h.rho = nil, nil, nil }

// remember stores the step from one point to the next and the change of the
// gradient, unless the objective did not curve upwards along it. A full memory
// forgets its oldest pair.
func (h *history[F]) remember(from, to *point[F]) {
	if h.spareS == nil {
		h.spareS, h.spareY = make([]F, len(from.x)), make([]F, len(from.x))
	}
	s, y := h.spareS, h.spareY
	kernel.Sub(s, to.x, from.x)
	kernel.Sub(y, to.gradient, from.gradient)
	sy, yy := kernel.Dot(s, y), kernel.Dot(y, y)
	if !(sy > 1e-12*yy) {
		return
	}
	h.spareS, h.spareY = nil, nil
	if len(h.s) == h.limit {
		h.spareS, h.spareY = h.s[0], h.y[0]
		h.s, h.y, h.rho = h.s[1:], h.y[1:], h.rho[1:]
	}
	h.s, h.y, h.rho, h.gamma = append(h.s, s), append(h.y, y), append(h.rho, 1/sy), sy/yy
}

// direct is the two-loop recursion: direction = -H g. Without history it is -g,
// made one long.
func (h *history[F]) direct(ctx context.Context, direction, g []F) error {
	for i, v := range g {
		direction[i] = -v
	}
	last := h.len() - 1
	if last < 0 {
		kernel.Scale(F(1/norm(g)), direction)
		return ctx.Err()
	}
	alpha := make([]float64, last+1)
	product, err := h.axpyDot(ctx, 0, h.s[last], direction, h.s[last])
	for i := last; i >= 0 && err == nil; i-- {
		alpha[i] = h.rho[i] * product
		product, err = h.axpyDot(ctx, -alpha[i], h.y[i], direction, h.s[max(i-1, 0)])
	}
	if err != nil {
		return err
	}
	kernel.Scale(F(h.gamma), direction)
	product, err = h.axpyDot(ctx, 0, h.y[0], direction, h.y[0])
	for i := 0; i <= last && err == nil; i++ {
		beta := h.rho[i] * product
		product, err = h.axpyDot(ctx, alpha[i]-beta, h.s[i], direction, h.y[min(i+1, last)])
	}
	return err
}

// vectorPiece is how much of a long vector a worker takes at a time. Sums of
// pieces are added in order, so that the number of workers cannot show.
const vectorPiece = 1 << 15

// axpyDot is y += a x and returns the inner product of y with z.
func (h *history[F]) axpyDot(ctx context.Context, a float64, x, y, z []F) (float64, error) {
	n := pieces(vectorPiece, len(x))
	sums := make([]float64, n)
	err := parallel(ctx, h.workers, n, func(_, i int) {
		from, to := piece(i, vectorPiece, len(x))
		sums[i] = kernel.AxpyDot(F(a), x[from:to], y[from:to], z[from:to])
	})
	return total(sums), err
}
