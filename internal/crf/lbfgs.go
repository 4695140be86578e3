// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"
)

// minimizer is L-BFGS (Liu and Nocedal 1989; Nocedal and Wright, Algorithm 7.4)
// with a line search by bisection for the weak Wolfe conditions (Lewis and
// Overton 2013), or the approximate ones of Hager and Zhang (2005) where rounding
// hides the decrease.
type minimizer struct {
	evaluate  func(ctx context.Context, x, gradient []float64) (float64, error)
	memory    int
	limit     int     // iterations
	tolerance float64 // see Options.Tolerance
	workers   int
	progress  func(number, evaluations int, f, gradient float64)

	s, y    [][]float32 // last memory steps and gradient changes, oldest first
	rho     []float64   // 1/(s.y)
	numbers outcome
	failed  error // of a vector operation
}

// outcome is where a minimisation ended.
type outcome struct {
	status                  Status
	f, gradient             float64
	iterations, evaluations int
}

const (
	decrease  = 1e-4 // share of the linear decrease that a step must reach
	curvature = 0.9  // share of the slope that may remain
	rounding  = 1e-9 // relative error of f that the line search shrugs off
	trials    = 20   // steps that a line search may try
	period    = 10   // iterations over which Tolerance is measured
	flat      = 1e-7 // |gradient| / max(1, |x|) of an optimum
)

// minimize moves x to a minimum. Its error is ctx's or the objective's.
func (m *minimizer) minimize(ctx context.Context, x []float64) (outcome, error) {
	g, next, nextG := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	direction := make([]float64, len(x))
	f, err := m.value(ctx, x, g)
	if err != nil {
		return outcome{}, err
	}
	history := []float64{f}
	for {
		if m.arrived(x, g, f, history) {
			return m.numbers, nil
		}
		if err := m.direct(ctx, direction, g); err != nil {
			return outcome{}, err
		}
		stepped, err := m.search(ctx, x, g, direction, f, next, nextG)
		if err != nil {
			return outcome{}, err
		}
		if !finite(stepped) {
			if len(m.s) > 0 { // try once more from steepest descent
				m.s, m.y, m.rho = nil, nil, nil
				continue
			}
			m.numbers.status = Stalled
			return m.numbers, nil
		}
		m.remember(x, next, g, nextG)
		copy(x, next)
		f, g, nextG = stepped, nextG, g
		history = append(history, f)
		m.numbers.iterations++
		m.report(f, g)
	}
}

func (m *minimizer) value(ctx context.Context, x, g []float64) (float64, error) {
	m.numbers.evaluations++
	return m.evaluate(ctx, x, g)
}

func (m *minimizer) report(f float64, g []float64) {
	if m.progress != nil {
		m.progress(m.numbers.iterations, m.numbers.evaluations, f, m.numbers.gradient)
	}
}

// arrived records the point and reports whether to stop there.
func (m *minimizer) arrived(x, g []float64, f float64, history []float64) bool {
	m.numbers.f, m.numbers.gradient = f, math.Sqrt(chunkedDot(g, g))
	switch n := len(history); {
	case m.numbers.gradient <= flat*max(1, math.Sqrt(chunkedDot(x, x))):
		m.numbers.status = Converged
	case n > period && history[n-1-period]-f < m.tolerance*math.Abs(f):
		m.numbers.status = Converged
	case m.numbers.iterations >= m.limit:
		m.numbers.status = Limit
	default:
		return false
	}
	return true
}

// direct is the two-loop recursion: direction = -H g.
func (m *minimizer) direct(ctx context.Context, direction, g []float64) error {
	for i, v := range g {
		direction[i] = -v
	}
	if len(m.s) == 0 {
		divide(direction, math.Sqrt(chunkedDot(g, g)))
		return ctx.Err()
	}
	alpha := make([]float64, len(m.s))
	for i := len(m.s) - 1; i >= 0 && ctx.Err() == nil; i-- {
		alpha[i] = m.rho[i] * m.dot(m.s[i], direction)
		m.axpy(-alpha[i], m.y[i], direction)
	}
	last := len(m.s) - 1
	gamma := 1 / (m.rho[last] * m.square(m.y[last]))
	for i := range direction {
		direction[i] *= gamma
	}
	for i := range m.s {
		if ctx.Err() != nil {
			break
		}
		beta := m.rho[i] * m.dot(m.y[i], direction)
		m.axpy(alpha[i]-beta, m.s[i], direction)
	}
	if m.failed != nil {
		return m.failed
	}
	return ctx.Err()
}

// search finds a step along direction and leaves its end in next and nextG. It
// returns NaN when no step helps.
func (m *minimizer) search(ctx context.Context, x, g, direction []float64, f float64, next, nextG []float64) (float64, error) {
	slope := chunkedDot(g, direction)
	if !(slope < 0) {
		return math.NaN(), nil
	}
	low, high, step := 0.0, math.Inf(1), 1.0
	for range trials {
		for i, v := range direction {
			next[i] = x[i] + step*v
		}
		stepped, err := m.value(ctx, next, nextG)
		if err != nil {
			return 0, err
		}
		reached := chunkedDot(nextG, direction)
		lowEnough := stepped <= f+decrease*step*slope
		nearlyLow := stepped <= f+rounding*math.Abs(f) && reached <= (2*decrease-1)*slope
		switch {
		case !finite(stepped) || !lowEnough && !nearlyLow:
			high = step
		case reached < curvature*slope:
			low = step
		default:
			return stepped, nil
		}
		if step = (low + high) / 2; math.IsInf(high, 1) {
			step = 2 * low
		}
	}
	return math.NaN(), nil
}

// remember stores the step and the change of the gradient, unless the objective
// did not curve upwards along it.
func (m *minimizer) remember(x, next, g, nextG []float64) {
	s, y := m.recycled(len(x))
	var sy, yy float64
	for i := range x {
		ds, dy := next[i]-x[i], nextG[i]-g[i]
		s[i], y[i] = float32(ds), float32(dy)
		sy += float64(s[i]) * float64(y[i])
		yy += float64(y[i]) * float64(y[i])
	}
	if !(sy > 1e-12*yy) {
		return
	}
	m.s, m.y, m.rho = append(m.s, s), append(m.y, y), append(m.rho, 1/sy)
}

// recycled returns room for a pair: the oldest one's when the memory is full.
func (m *minimizer) recycled(n int) (s, y []float32) {
	if len(m.s) < m.memory {
		return make([]float32, n), make([]float32, n)
	}
	s, y = m.s[0], m.y[0]
	m.s, m.y, m.rho = m.s[1:], m.y[1:], m.rho[1:]
	return s, y
}

// The vector operations of the recursion are shared out in fixed pieces.

func (m *minimizer) dot(x []float32, y []float64) float64 {
	n := pieces(vectorPiece, len(x))
	sums := make([]float64, n)
	m.share(n, func(i int) {
		from, to := piece(i, vectorPiece, len(x))
		sums[i] = mixedDot(x[from:to], y[from:to])
	})
	return total(sums)
}

func (m *minimizer) axpy(a float64, x []float32, y []float64) {
	m.share(pieces(vectorPiece, len(x)), func(i int) {
		from, to := piece(i, vectorPiece, len(x))
		mixedAxpy(a, x[from:to], y[from:to])
	})
}

func (m *minimizer) square(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return sum
}

// share runs do for every i and keeps the first failure for [minimizer.direct];
// cancelling is looked at between operations.
func (m *minimizer) share(n int, do func(i int)) {
	if err := parallel(context.Background(), m.workers, n, func(_, i int) { do(i) }); err != nil && m.failed == nil {
		m.failed = err
	}
}
