// SPDX-License-Identifier: Apache-2.0

// Package blend weighs learners against each other by logistic regression on their
// log-odds. [Fit] finds the weights; [Weights] is the result.
package blend

import (
	"math"
	"slices"

	"hide/internal/greedy"
)

// Weights has a weight for each learner, and the intercept last.
type Weights []float64

// Mean gives each of n learners the weight 1/n.
func Mean(n int) Weights {
	w := make(Weights, n+1)
	for k := range n {
		w[k] = 1 / float64(n)
	}
	return w
}

// Alone gives all weight to the first of n learners.
func Alone(n int) Weights {
	w := make(Weights, n+1)
	w[0] = 1
	return w
}

// LogOdds of row r, whose log-odds by learner are said[k][r].
func (w Weights) LogOdds(said [][]float64, r int) float64 {
	f := w[len(w)-1]
	for k := range said {
		f += w[k] * said[k][r]
	}
	return f
}

// ridge pulls the weights towards the first ones, as strongly as four tokens with
// probability one half and log-odds of 1.
const ridge = 4

// Fit is the logistic regression of y on the learners' log-odds, by Newton's method from
// the weights v. It minimises
//
//	sum_r log(1 + exp(f_r)) - y_r f_r + ridge/8 sum_k (w_k - v_k)^2.
//
// The intercept is not pulled.
func Fit(said [][]float64, y []bool, v Weights) Weights {
	p := problem{said, y, v}
	w := v
	loss := p.loss(w)
	for range 50 {
		step := p.newton(w)
		next, better := w, false
		for size := 1.0; size > 1e-6 && !better; size /= 2 {
			next = moved(w, step, size)
			l := p.loss(next)
			if better = l < loss*(1-1e-10); better {
				loss = l
			}
		}
		if !better {
			break
		}
		w = next
	}
	return slices.Clone(w)
}

// problem has the log-odds by learner and row, what the rows are, and the first weights.
type problem struct {
	said  [][]float64
	y     []bool
	first Weights
}

func moved(w Weights, step []float64, size float64) Weights {
	out := make(Weights, len(w))
	for k := range w {
		out[k] = w[k] - size*step[k]
	}
	return out
}

func (p problem) loss(w Weights) float64 {
	sum := 0.0
	for k := range p.said {
		d := w[k] - p.first[k]
		sum += ridge / 8.0 * d * d
	}
	for r := range p.y {
		f := w.LogOdds(p.said, r)
		if p.y[r] {
			f = -f
		}
		sum += max(f, 0) + math.Log1p(math.Exp(-math.Abs(f)))
	}
	return sum
}

// newton is the Newton step, the Hessian's inverse times the gradient.
func (p problem) newton(w Weights) []float64 {
	n := len(p.said)
	g, h := make([]float64, n+1), make([][]float64, n+1)
	for i := range h {
		h[i] = make([]float64, n+1)
		h[i][i] = 1e-9
	}
	for k := range n {
		g[k] += ridge / 4.0 * (w[k] - p.first[k])
		h[k][k] += ridge / 4.0
	}
	x := make([]float64, n+1)
	x[n] = 1
	for r := range p.y {
		for k := range p.said {
			x[k] = p.said[k][r]
		}
		s := greedy.Logistic(w.LogOdds(p.said, r))
		e := s
		if p.y[r] {
			e--
		}
		for i := range x {
			g[i] += e * x[i]
			for j := range i + 1 {
				h[i][j] += s * (1 - s) * x[i] * x[j]
			}
		}
	}
	return solve(h, g)
}

// solve solves Ax = b for a positive definite A, of which the lower half is read, by
// Cholesky decomposition. It overwrites both.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i == j {
				a[i][i] = math.Sqrt(sum)
			} else {
				a[i][j] = sum / a[j][j]
			}
		}
	}
	for i := range n {
		for k := range i {
			b[i] -= a[i][k] * b[k]
		}
		b[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= a[k][i] * b[k]
		}
		b[i] /= a[i][i]
	}
	return b
}
