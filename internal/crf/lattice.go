// SPDX-License-Identifier: Apache-2.0

package crf

import "math"

// lattice computes sums and maxima over all paths of one sequence (Lafferty et
// al. 2001; Rabiner 1989, section V for the scaling). It is sized once and used
// for many sequences by one goroutine.
//
// With psi[t][j] = exp(score[t][j]) and M[i][j] = exp(transition[i][j]), zero
// where forbidden:
//
//	alpha[0][j] = psi[0][j]                              for j <= K
//	alpha[t][j] = psi[t][j] * sum_i alpha[t-1][i] M[i][j]
//	beta[T-1][i] = 1
//	beta[t-1][i] = sum_j M[i][j] psi[t][j] beta[t][j]
//	P(y_t = j)   = alpha[t][j] beta[t][j] / Z
//
// Every row of alpha and of beta is divided by its sum as it is made.
type lattice struct {
	k, l  int
	w     []float64 // transition weights, laid out as [states] says
	m     []float64 // exp(w), [L][K+1] and then the 2K continuations
	alpha []float64 // [T][L], each row sums to 1
	scale []float64 // [T] the sum each row of alpha had
	beta  []float64 // [2][L] rows t and t-1
	r     []float64 // [L] psi[t]*beta[t]
	back  []uint16  // [T][L] best predecessor
	gain  []float64 // [L] the most that a transition from a state weighs more than the same from O
}

// lowest bounds log psi and |log M|. Because O and every B can follow any state,
// two entries of a row of alpha or beta then differ by less than exp(600), and no
// sum of products leaves the range of float64, whatever the weights.
const lowest = -150

func newLattice(s states) *lattice {
	l := s.count()
	return &lattice{
		k: len(s.labels), l: l,
		w: make([]float64, s.transitions()), m: make([]float64, s.transitions()),
		beta: make([]float64, 2*l), r: make([]float64, l), gain: make([]float64, l),
	}
}

// setTransitions copies the weights.
func (x *lattice) setTransitions(w []float64) {
	copy(x.w, w)
	for i, v := range w {
		x.m[i] = math.Exp(min(max(v, lowest), -lowest))
	}
	e := x.k + 1
	for i := range x.gain {
		x.gain[i] = math.Inf(-1)
		for j := range e {
			x.gain[i] = max(x.gain[i], w[i*e+j]-w[j])
		}
	}
}

func (x *lattice) grow(n int) {
	if len(x.scale) < n {
		x.alpha, x.scale = make([]float64, n*x.l), make([]float64, n)
	}
}

// exponentiate turns one row of scores into psi relative to the row's maximum,
// which it returns.
func exponentiate(row []float64) (top float64) {
	top = row[0]
	for _, v := range row[1:] {
		top = max(top, v)
	}
	for j, v := range row {
		row[j] = math.Exp(max(v-top, lowest))
	}
	return top
}

// forward turns scores, [T][L], into psi in place, fills alpha and returns log Z.
func (x *lattice) forward(psi []float64) float64 {
	n, l := len(psi)/x.l, x.l
	x.grow(n)
	logZ, product := 0.0, 1.0
	for t := range n {
		row, a := psi[t*l:(t+1)*l], x.alpha[t*l:(t+1)*l]
		logZ += exponentiate(row)
		if t == 0 {
			clear(a)
			copy(a[:x.k+1], row)
		} else {
			x.step(a, x.alpha[(t-1)*l:t*l], row)
		}
		sum := total(a)
		x.scale[t] = sum
		divide(a, sum)
		// One logarithm per many factors; each is within exp(+-300).
		if product *= sum; product < 1e-40 || product > 1e40 {
			logZ += math.Log(product)
			product = 1
		}
	}
	return logZ + math.Log(product)
}

// step is alpha[t][j] = psi[t][j] * sum_i alpha[t-1][i] M[i][j].
func (x *lattice) step(next, prev, psi []float64) {
	clear(next)
	e := x.k + 1
	entries := next[:e]
	for i, a := range prev {
		axpy(a, x.m[i*e:(i+1)*e], entries)
	}
	cont := x.m[x.l*e:]
	for k := range x.k {
		next[e+k] = prev[1+k]*cont[2*k] + prev[e+k]*cont[2*k+1]
	}
	for j, p := range psi {
		next[j] *= p
	}
}

// backward turns psi, after forward, into marginals P(y_t = j) in place. When
// expect is not nil it adds to it, per transition, the expected count divided by
// M: the caller multiplies once at the end.
func (x *lattice) backward(psi, expect []float64) {
	n, l := len(psi)/x.l, x.l
	beta, prev := x.beta[:l], x.beta[l:]
	for j := range beta {
		beta[j] = 1
	}
	for t := n - 1; t >= 0; t-- {
		row, a := psi[t*l:(t+1)*l], x.alpha[t*l:(t+1)*l]
		norm := 0.0
		for j, b := range beta {
			x.r[j] = row[j] * b
			row[j] = a[j] * b
			norm += row[j]
		}
		divide(row, norm)
		if t == 0 {
			break
		}
		if expect != nil {
			// sum_ij alpha[t-1][i] M[i][j] r[j] = scale[t] * norm
			x.expect(expect, x.alpha[(t-1)*l:t*l], 1/(x.scale[t]*norm))
		}
		x.stepBack(prev)
		beta, prev = prev, beta
	}
}

// stepBack is beta[t-1][i] = sum_j M[i][j] r[j], divided by its sum.
func (x *lattice) stepBack(prev []float64) {
	e := x.k + 1
	entries := x.r[:e]
	for i := range prev {
		prev[i] = dot(x.m[i*e:(i+1)*e], entries)
	}
	cont := x.m[x.l*e:]
	for k := range x.k {
		prev[1+k] += cont[2*k] * x.r[e+k]
		prev[e+k] += cont[2*k+1] * x.r[e+k]
	}
	divide(prev, total(prev))
}

// expect adds alpha[t-1][i] r[j] / Z of the edge to each transition.
func (x *lattice) expect(into, alpha []float64, inverse float64) {
	e := x.k + 1
	entries := x.r[:e]
	for i, a := range alpha {
		axpy(a*inverse, entries, into[i*e:(i+1)*e])
	}
	cont := into[x.l*e:]
	for k := range x.k {
		r := x.r[e+k] * inverse
		cont[2*k] += alpha[1+k] * r
		cont[2*k+1] += alpha[e+k] * r
	}
}

// viterbi returns the best allowed path for scores, [T][L], and its score. On a
// tie the lowest state wins.
func (x *lattice) viterbi(scores []float64) ([]uint16, float64) {
	n, l := len(scores)/x.l, x.l
	if n == 0 {
		return nil, 0
	}
	if len(x.back) < n*l {
		x.back = make([]uint16, n*l)
	}
	best, next := make([]float64, l), make([]float64, l)
	copy(best, scores[:x.k+1])
	for j := x.k + 1; j < l; j++ {
		best[j] = math.Inf(-1)
	}
	for t := 1; t < n; t++ {
		x.advance(next, best, x.back[t*l:(t+1)*l])
		for j := range next {
			next[j] += scores[t*l+j]
		}
		best, next = next, best
	}
	return x.trace(best, n)
}

// advance is next[j] = max_i best[i] + w[i][j], with the maximising i in back.
// Almost always most states are too far behind O to be anybody's best predecessor;
// gain tells.
func (x *lattice) advance(next, best []float64, back []uint16) {
	e := x.k + 1
	for j := range e {
		next[j], back[j] = best[0]+x.w[j], 0
	}
	for i := 1; i < x.l; i++ {
		if best[i]+x.gain[i] < best[0] {
			continue
		}
		b, row := best[i], x.w[i*e:(i+1)*e]
		for j, w := range row {
			if v := b + w; v > next[j] {
				next[j], back[j] = v, uint16(i)
			}
		}
	}
	cont := x.w[x.l*e:]
	for k := range x.k {
		next[e+k], back[e+k] = best[1+k]+cont[2*k], uint16(1+k)
		if v := best[e+k] + cont[2*k+1]; v > next[e+k] {
			next[e+k], back[e+k] = v, uint16(e+k)
		}
	}
}

func (x *lattice) trace(last []float64, n int) ([]uint16, float64) {
	at := 0
	for j, v := range last {
		if v > last[at] {
			at = j
		}
	}
	top, path := last[at], make([]uint16, n)
	for t := n - 1; t > 0; t-- {
		path[t] = uint16(at)
		at = int(x.back[t*x.l+at])
	}
	path[0] = uint16(at)
	return path, top
}
