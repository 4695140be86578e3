// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math"
	"slices"
)

// lattice computes sums and maxima over all paths of one sequence (Lafferty et
// al. 2001; Rabiner 1989). Sums are taken of logarithms, so that no score is too
// large: slow, exact, and what is done when [kernel.Chain] gives up. It is sized
// once and used for many sequences by one goroutine.
//
//	alpha[0][j] = score[0][j]                               for j < K+1
//	alpha[t][j] = score[t][j] + lse_i(alpha[t-1][i] + w[i][j])
//	beta[T-1][i] = 0
//	beta[t-1][i] = lse_j(w[i][j] + score[t][j] + beta[t][j])
//	P(y_t = j)  = exp(alpha[t][j] + beta[t][j] - log Z)
//
// where lse is the logarithm of the sum of exponentials.
type lattice struct {
	l     int       // states
	e, k  int       // states that can follow any, and labels whose I can follow only B and I
	w     []float64 // transition weights, laid out as [states] says
	alpha []float64 // [T][L]
	terms []float64 // [L] of one sum
	back  []uint16  // [T][L] best predecessor
	gain  []float64 // [L] the most that a transition from a state weighs more than the same from O
}

func newLattice(s states) *lattice {
	l := s.count()
	return &lattice{
		l: l, e: s.entries(), k: s.continuations(), w: make([]float64, s.transitions()),
		terms: make([]float64, l), gain: make([]float64, l),
	}
}

// setTransitions copies the weights.
func (x *lattice) setTransitions(w []float64) {
	copy(x.w, w)
	e := x.e
	for i := range x.gain {
		x.gain[i] = math.Inf(-1)
		for j := range e {
			x.gain[i] = max(x.gain[i], w[i*e+j]-w[j])
		}
	}
}

// logSum is lse over terms.
func logSum(terms []float64) float64 {
	top := slices.Max(terms)
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range terms {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// forward fills alpha from scores, [T][L], and returns log Z.
func (x *lattice) forward(scores []float64) float64 {
	x.alpha = append(x.alpha[:0], scores...)
	for j := x.e; j < x.l; j++ {
		x.alpha[j] = math.Inf(-1)
	}
	for at := x.l; at < len(scores); at += x.l {
		x.step(x.alpha[at:at+x.l], x.alpha[at-x.l:at])
	}
	return logSum(x.alpha[len(x.alpha)-x.l:])
}

// step adds to next, a row of scores, the sums over its predecessors.
func (x *lattice) step(next, prev []float64) {
	e := x.e
	for j := range e {
		for i, a := range prev {
			x.terms[i] = a + x.w[i*e+j]
		}
		next[j] += logSum(x.terms)
	}
	cont := x.w[x.l*e:]
	for k := range x.k {
		x.terms[0], x.terms[1] = prev[1+k]+cont[2*k], prev[e+k]+cont[2*k+1]
		next[e+k] += logSum(x.terms[:2])
	}
}

// backward turns scores, after forward has given logZ, into marginals in place.
// When expect is not nil it adds to it the expected number of every transition.
func (x *lattice) backward(scores []float64, logZ float64, expect []float64) {
	beta := make([]float64, x.l)
	for at := len(scores) - x.l; at >= 0; at -= x.l {
		row, alpha := scores[at:at+x.l], x.alpha[at:at+x.l]
		for j, b := range beta {
			row[j], beta[j] = math.Exp(alpha[j]+b-logZ), row[j]+b
		}
		if at > 0 {
			x.expect(expect, x.alpha[at-x.l:at], beta, logZ)
			x.stepBack(beta)
		}
	}
}

// stepBack turns score + beta of one token into the beta of the token before.
func (x *lattice) stepBack(beta []float64) {
	e := x.e
	next := append([]float64(nil), beta...)
	for i := range beta {
		terms := x.terms[:e]
		for j := range terms {
			terms[j] = x.w[i*e+j] + next[j]
		}
		beta[i] = logSum(terms)
	}
	cont := x.w[x.l*e:]
	for k := range x.k {
		beta[1+k] = logSum([]float64{beta[1+k], cont[2*k] + next[e+k]})
		beta[e+k] = logSum([]float64{beta[e+k], cont[2*k+1] + next[e+k]})
	}
}

// expect adds P(i at t-1, j at t) of one edge to each transition.
func (x *lattice) expect(into, alpha, next []float64, logZ float64) {
	if into == nil {
		return
	}
	e := x.e
	for i, a := range alpha {
		for j := range e {
			into[i*e+j] += math.Exp(a + x.w[i*e+j] + next[j] - logZ)
		}
	}
	cont := x.l * e
	for k := range x.k {
		into[cont+2*k] += math.Exp(alpha[1+k] + x.w[cont+2*k] + next[e+k] - logZ)
		into[cont+2*k+1] += math.Exp(alpha[e+k] + x.w[cont+2*k+1] + next[e+k] - logZ)
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
	copy(best, scores[:x.e])
	for j := x.e; j < l; j++ {
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
	e := x.e
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
