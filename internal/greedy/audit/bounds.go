// SPDX-License-Identifier: Apache-2.0

package audit

import "math"

// Bound is the largest number of leaking passages among N that is compatible, at
// confidence 1-alpha, with k found in a random sample of n, if the readers miss none:
//
//	L_U(N, n, k, alpha) = max { L : sum_{j=0..k} C(L,j) C(N-L,n-j) / C(N,n) > alpha }.
//
// It holds for any clumping of the identifiers, any model and any drift, because it needs
// only the random draw. n must be fixed before the draw; for several looks there is
// [AnytimeBound]. Without a sample it is N; if all were read it is k.
func Bound(N, n, k int, alpha float64) int { return ThinnedBound(N, n, k, alpha, 1) }

// ThinnedBound is [Bound] for readers who find a leaking passage with probability s, each
// independently: the largest L with P(found <= k) > alpha, where found is the
// hypergeometric number of leaking passages in the sample, each counted with probability s.
// That probability falls with s, so the bound holds for all better readers, too.
func ThinnedBound(N, n, k int, alpha, s float64) int {
	if n <= 0 || k >= n {
		return N
	}
	few := detected(k, n, s)
	return largest(min(k, N), N, func(l int) bool { return fewFound(N, l, n, few)*(1+slack) > alpha })
}

// fewFound is the probability that few gives, by leaking passages in the sample, over all
// samples of n.
func fewFound(N, l, n int, few []float64) float64 {
	p, lo, hi := hypergeometric(N, l, n)
	if few[hi] == 1 {
		return 1
	}
	mode := largest(lo, hi, func(j int) bool { return p.next(j-1) >= 1 })
	top := math.Exp(p.log(mode))
	sum, term := top*few[mode], top
	for j := mode; j < hi && term > negligible; j++ {
		term *= p.next(j)
		sum += term * few[j+1]
	}
	term = top
	for j := mode; j > lo && term > negligible; j-- {
		term /= p.next(j - 1)
		sum += term * few[j-1]
	}
	return sum
}

// WholeBound is the largest number of leaking passages among n that were all read, if
// readers find a leaking one with probability s and found k: the largest L with
// P(Binomial(L, s) <= k) > alpha. For s = 1 it is k.
func WholeBound(n, k int, alpha, s float64) int {
	if k >= n {
		return n
	}
	few := detected(k, n, s)
	return largest(k, n, func(l int) bool { return few[l]*(1+slack) > alpha })
}

// RecallBound is the lower bound of Clopper and Pearson (1934) for the share of identifiers
// that readers find, if they caught c of m planted ones, at confidence 1-alpha:
//
//	BetaInv(alpha; c, m-c+1), the s with P(Binomial(m, s) >= c) = alpha.
//
// m must be fixed before.
func RecallBound(m, c int, alpha float64) float64 {
	if c <= 0 {
		return 0
	}
	return lowest(alpha, func(s float64) float64 { return atLeast(m, c, s) })
}

// ShareInterval is the interval of Clopper and Pearson (1934) for a share of which k in n
// were seen, at confidence 1-alpha. Without any n it is everything from 0 to 1; if none was
// seen, its upper end is still above 0.
func ShareInterval(n, k int, alpha float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	return RecallBound(n, k, alpha/2), 1 - RecallBound(n, n-k, alpha/2)
}

// Chapman estimates how many passages leak, found or not, of those that two readers read
// independently, from how many each found and both found:
//
//	(first+1)(second+1)/(both+1) - 1.
//
// Passages that are hard for both make it too low; it is no bound.
func Chapman(first, second, both int) float64 {
	return float64(first+1)*float64(second+1)/float64(both+1) - 1
}
