// SPDX-License-Identifier: Apache-2.0

package audit

import "math"

// The prior weights of found and clean passages in [AnytimeBound], and of caught and missed
// planted identifiers in [AnytimeRecallBound]. They decide how narrow the bounds are, never
// whether they hold. They are part of the meaning of stored readings: do not change them.
const (
	priorFound, priorClean   = 1, 30
	priorCaught, priorMissed = 18, 2
)

// Anytime is an upper bound of the leaking passages that holds at every look: readers may
// stop whenever it is low enough. It takes answers one by one, in the order of the draw.
//
// # Without misses
//
// After t draws without replacement with k found, an L stays as long as
//
//	[L]_k [N-L]_(t-k) / [N]_t >= alpha Q(t, k),  Q(t, k) = B(A+k, B+t-k) / B(A, B),
//
// with [x]_i the falling factorial, A = 1 and B = 30. The left side is the probability of
// the answers so far if L passages leak, and Q is their probability under a fixed
// beta-binomial mixture. Their ratio is a martingale, so by Ville's inequality the true L
// stays forever with probability 1-alpha, and the intersection over t may be taken
// (prior-posterior ratio: Waudby-Smith and Ramdas, NeurIPS 2020).
//
// # With readers who find each leaking passage with probability s
//
// The probability of the answers is then
//
//	P(L, s) = sum_m C(t-k, m) [L]_(k+m) [N-L]_(t-k-m) / [N]_t s^k (1-s)^m.
//
// Q does not contain s, and for the true L and s the ratio Q/P(L, s) is a martingale as
// before. So with probability 1-alpha, at all t, P(L, s) >= alpha Q for the true pair.
// It remains to remove s, of which only a lower bound r <= s is known.
//
// Let D be the passages that the readers would find, a binomial number of the L. Then
// P(L, s) = E h(D) with h(D) = [D]_k [N-D]_(t-k) / [N]_t, which first rises and then falls
// in D. The binomial distributions are totally positive in D against L and in D against
// s, so that P(L, s) first rises and then falls both in L and in s (Karlin 1968). Moreover
//
//	P(L+1, s) - P(L, s) = s E[h(D+1) - h(D)] = s/(L+1) dP(L+1, s)/ds.
//
// Let U be the largest L that has P(L, r) >= alpha Q or is not beyond the highest point of
// P(., r). For L > U, P(L, r) < alpha Q, and P(., r) falls at L; by the equation P(L, .)
// falls at r, and it keeps falling above r. So P(L, s) < alpha Q for all s >= r: the true
// pair cannot have an L > U. Hence U holds at all t for all readers better than r, and r
// may itself change from look to look, as long as it holds at all of them
// ([LiveRecallBound]). The two probabilities of error add.
type Anytime struct {
	passages    int
	alpha       float64
	recall      float64
	read, found int
	bound       int
}

// NewAnytime starts with no answer. recall is 1 for readers who miss nothing.
func NewAnytime(passages int, alpha, recall float64) *Anytime {
	return &Anytime{passages: passages, alpha: alpha, recall: recall, bound: passages}
}

// Add takes the answer for the next passage of the draw.
func (a *Anytime) Add(found bool) {
	a.read++
	if found {
		a.found++
	}
	if a.recall <= 0 || a.keeps(a.bound) {
		return
	}
	a.bound = min(a.bound, a.highest())
}

// Bound is the upper bound of leaking passages.
func (a *Anytime) Bound() int { return max(a.bound, a.found) }

// keeps reports P(L, r) >= alpha Q.
func (a *Anytime) keeps(l int) bool {
	return a.logProbability(l)+slack >= math.Log(a.alpha)+logBeta(float64(priorFound+a.found), float64(priorClean+a.read-a.found))-logBeta(priorFound, priorClean)
}

// highest is U of the answers so far, without those of earlier looks.
func (a *Anytime) highest() int {
	most := a.passages
	if a.recall >= 1 {
		most -= a.read - a.found // clean passages that were read
	}
	start := min(most, int(float64(a.found)/float64(a.read)*float64(a.passages)/a.recall))
	start = max(start, a.found)
	if !a.keeps(start) {
		start = largest(a.found, most, func(l int) bool { return a.logProbability(l) >= a.logProbability(l-1) })
	}
	return largest(start, most, a.keeps)
}

// logProbability is log P(L, r).
func (a *Anytime) logProbability(l int) float64 {
	clean := a.read - a.found // of the answers
	lo, hi := max(0, clean-(a.passages-l)), min(clean, l-a.found)
	if lo > hi || a.recall >= 1 && lo > 0 {
		return math.Inf(-1)
	}
	constant := logFactorial(a.passages-a.read) - logFactorial(a.passages) + logFactorial(l) + logFactorial(a.passages-l)
	if a.recall >= 1 {
		return constant - logFactorial(l-a.found) - logFactorial(a.passages-l-clean)
	}
	missed := math.Log1p(-a.recall)
	return float64(a.found)*math.Log(a.recall) + constant + terms{
		log: func(m int) float64 {
			return logChoose(clean, m) + float64(m)*missed - logFactorial(l-a.found-m) - logFactorial(a.passages-l-clean+m)
		},
		next: func(m int) float64 {
			return float64(clean-m) / float64(m+1) * float64(l-a.found-m) / float64(a.passages-l-clean+m+1) * (1 - a.recall)
		},
	}.logSum(lo, hi)
}

// AnytimeBound is the bound of [Anytime] after all answers: read passages, and the
// positions in the order of the draw, from 1, of those found. It looks back at every
// earlier answer with the present recall. The cost is one evaluation for each answer: about
// a millisecond for 3,000 answers.
func AnytimeBound(passages, read int, found []int, alpha, recall float64) int {
	a := NewAnytime(passages, alpha, recall)
	for t := range read {
		is := len(found) > 0 && found[0] == t+1
		if is {
			found = found[1:]
		}
		a.Add(is)
	}
	return a.Bound()
}

// anytimeLast is U after read answers with k found in any order: no lower than
// [AnytimeBound].
func anytimeLast(passages, read, k int, alpha, recall float64) int {
	if read == 0 || recall <= 0 {
		return passages
	}
	return NewAnytime(passages, alpha, recall).after(read, k).highest()
}

func (a *Anytime) after(read, found int) *Anytime {
	a.read, a.found = read, found
	return a
}

// AnytimeRecallBound is a lower bound of the share of identifiers that readers find, after
// c of m planted ones were caught, that holds at every look: the least s with
//
//	s^c (1-s)^(m-c) >= alpha B(A+c, B+m-c) / B(A, B),  A = 18, B = 2.
//
// The ratio of both sides is a martingale for the true s, as in [Anytime].
func AnytimeRecallBound(m, c int, alpha float64) float64 {
	if c <= 0 {
		return 0
	}
	limit := math.Log(alpha) + logBeta(float64(priorCaught+c), float64(priorMissed+m-c)) - logBeta(priorCaught, priorMissed)
	rate := float64(c) / float64(m)
	return rate * lowest(limit-slack, func(x float64) float64 {
		s := x * rate // up to the rate it rises
		if s <= 0 {
			return math.Inf(-1)
		}
		v := float64(c) * math.Log(s)
		if m > c {
			v += float64(m-c) * math.Log1p(-s)
		}
		return v
	})
}

// LiveRecallBound is a lower bound of recall that holds at every look while planned
// identifiers are read: the larger of [AnytimeRecallBound] of those read, at a fifth of
// alpha, and [RecallBound] of all planned ones at the rest, in which those not read yet
// count as missed, so that it only rises to the one that was fixed before. The first shows
// something early; the second is narrower at the end.
func LiveRecallBound(planned, read, caught int, alpha float64) float64 {
	return max(AnytimeRecallBound(read, caught, alpha/5), RecallBound(planned, caught, alpha*4/5))
}
