// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math"

	"hide/internal/crf/kernel"
)

// viterbi finds the best path of one sequence (Rabiner 1989, section III.B):
//
//	best[0][j] = score[0][j]                                  for j < K+1
//	best[t][j] = max_i(best[t-1][i] + w[i][j]) + score[t][j]
//
// It is sized once and used for many sequences by one goroutine.
type viterbi struct {
	l    int       // states
	e, k int       // states that can follow any, and labels whose I can follow only B and I
	w    []float64 // transition weights, laid out as [states] says
	gain []float64 // [L] the most that a transition from a state weighs more than the same from O

	best, next []float64 // [L]
	rivals     []int     // states other than O, ascending, that may be a best predecessor
	back       []uint16  // [T][L] best predecessor
}

// newViterbi takes the weights of the transitions, which nobody may change afterwards.
func newViterbi(s states, w []float64) *viterbi {
	l, e := s.count(), s.entries()
	x := &viterbi{l: l, e: e, k: s.continuations(), w: w, gain: make([]float64, l), best: make([]float64, l), next: make([]float64, l)}
	for i := range x.gain {
		x.gain[i] = math.Inf(-1)
		for j := range e {
			x.gain[i] = max(x.gain[i], w[i*e+j]-w[j])
		}
	}
	return x
}

// bestPath returns the best allowed path and its score. The score of state j of
// token t is scores[t*stride+j], but shift farther on for states that only continue
// a span. On a tie the lowest state wins.
func bestPath[F kernel.Float](x *viterbi, scores []F, stride, shift int) ([]uint16, float64) {
	n := len(scores) / stride
	if n == 0 {
		return nil, 0
	}
	if len(x.back) < n*x.l {
		x.back = make([]uint16, n*x.l)
	}
	for j := range x.next {
		if x.next[j] = math.Inf(-1); j < x.e {
			x.next[j] = 0
		}
	}
	for t := range n {
		if t > 0 {
			x.advance(x.back[t*x.l : (t+1)*x.l])
		}
		row := scores[t*stride : (t+1)*stride]
		x.next[0] += float64(row[0])
		x.rivals = x.rivals[:0]
		addScores(x, 1, row[1:x.e])
		addScores(x, x.e, row[x.e+shift:][:x.k])
		x.best, x.next = x.next, x.best
	}
	return x.trace(n)
}

// addScores adds the scores of the states from the first one on. Almost always most
// of them are too far behind O to be anybody's best predecessor; gain tells.
func addScores[F kernel.Float](x *viterbi, first int, scores []F) {
	next, gain, top := x.next[first:][:len(scores)], x.gain[first:][:len(scores)], x.next[0]
	for j, s := range scores {
		v := next[j] + float64(s)
		if next[j] = v; v+gain[j] >= top {
			x.rivals = append(x.rivals, first+j)
		}
	}
}

// advance is next[j] = max_i best[i] + w[i][j], with the maximising i in back.
func (x *viterbi) advance(back []uint16) {
	e := x.e
	best, next, top := x.best, x.next[:e], x.best[0]
	for j, w := range x.w[:len(next)] {
		next[j] = top + w
	}
	clear(back[:e])
	for _, i := range x.rivals {
		b, row := best[i], x.w[i*e:(i+1)*e]
		for j, w := range row {
			if v := b + w; v > next[j] {
				next[j], back[j] = v, uint16(i)
			}
		}
	}
	cont, begun, inside, to := x.w[x.l*e:], best[1:][:x.k], best[e:][:x.k], x.next[e:][:x.k]
	for k, b := range begun {
		pair := cont[2*k:][:2]
		v, from := b+pair[0], 1+k
		if i := inside[k] + pair[1]; i > v {
			v, from = i, e+k
		}
		to[k], back[e+k] = v, uint16(from)
	}
}

func (x *viterbi) trace(n int) ([]uint16, float64) {
	at := 0
	for j, v := range x.best {
		if v > x.best[at] {
			at = j
		}
	}
	top, path := x.best[at], make([]uint16, n)
	for t := n - 1; t > 0; t-- {
		path[t] = uint16(at)
		at = int(x.back[t*x.l+at])
	}
	path[0] = uint16(at)
	return path, top
}
