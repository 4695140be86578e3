// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"math"
	"sort"
)

// negligible is the share of a sum below which its further terms are left out.
const negligible = 1e-18

// slack is how much smaller than its limit the logarithm of a probability may be and still
// count as reaching it. It is more than rounding costs, so rounding never lowers a bound.
const slack = 1e-8

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

func logChoose(n, k int) float64 { return logFactorial(n) - logFactorial(k) - logFactorial(n-k) }

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// terms is a log-concave sequence: the logarithm of its element j, and the ratio of
// element j+1 to element j, which falls.
type terms struct {
	log  func(j int) float64
	next func(j int) float64
}

// logSum is the logarithm of the sum of the elements lo to hi. It starts at the largest, so
// that nothing overflows.
func (s terms) logSum(lo, hi int) float64 {
	if lo > hi {
		return math.Inf(-1)
	}
	mode := lo + sort.Search(hi-lo, func(i int) bool { return s.next(lo+i) < 1 })
	sum, term := 1.0, 1.0
	for j := mode; j < hi && term > negligible; j++ {
		term *= s.next(j)
		sum += term
	}
	term = 1
	for j := mode; j > lo && term > negligible; j-- {
		term /= s.next(j - 1)
		sum += term
	}
	return s.log(mode) + math.Log(sum)
}

// hypergeometric is the distribution of the leaking passages among n drawn ones, if l of
// all N passages leak:
//
//	P(X = j) = C(l, j) C(N-l, n-j) / C(N, n).
func hypergeometric(N, l, n int) (p terms, lo, hi int) {
	all := logChoose(N, n)
	return terms{
		log: func(j int) float64 { return logChoose(l, j) + logChoose(N-l, n-j) - all },
		next: func(j int) float64 {
			return float64(l-j) / float64(j+1) * float64(n-j) / float64(N-l-n+j+1)
		},
	}, max(0, n-(N-l)), min(n, l)
}

// detected is P(X <= k) by n for n independent trials that succeed with probability s:
//
//	F(n+1) = F(n) - s C(n, k) s^k (1-s)^(n-k),  F(k) = 1.
func detected(k, most int, s float64) []float64 {
	out := make([]float64, most+1)
	for n := range out {
		switch {
		case n <= k || s <= 0: // who catches nothing finds no more than k, whatever is there
			out[n] = 1
		case s >= 1:
			out[n] = 0
		default:
			last := n - 1
			out[n] = max(0, out[last]-s*math.Exp(logChoose(last, k)+float64(k)*math.Log(s)+float64(last-k)*math.Log1p(-s)))
		}
	}
	return out
}

// atLeast is P(X >= c) for m independent trials that succeed with probability s.
func atLeast(m, c int, s float64) float64 {
	switch {
	case c <= 0:
		return 1
	case s <= 0 || c > m:
		return 0
	case s >= 1:
		return 1
	}
	odds := s / (1 - s)
	return math.Exp(terms{
		log:  func(j int) float64 { return logChoose(m, j) + float64(j)*math.Log(s) + float64(m-j)*math.Log1p(-s) },
		next: func(j int) float64 { return float64(m-j) / float64(j+1) * odds },
	}.logSum(c, m))
}

// largest is the largest number from lo to hi for which ok holds. It must hold for all
// below the first for which it does not; lo counts as ok.
func largest(lo, hi int, ok func(int) bool) int {
	return lo + sort.Search(hi-lo, func(i int) bool { return !ok(lo + i + 1) })
}

// lowest is the s in [0, 1] from which on a rising function is above the limit; of two
// neighbouring numbers the lower.
func lowest(limit float64, f func(s float64) float64) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		if mid := (lo + hi) / 2; f(mid) > limit {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}
