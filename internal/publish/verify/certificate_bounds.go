// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// DrawCommitment is what the broker published before anybody gave a number:
// SHA-256("hide commitment 1\n" || secret || candidate || parameters).
func DrawCommitment(secret, candidate [32]byte, parameters string) [32]byte {
	h := sha256.New()
	h.Write([]byte("hide commitment 1\n"))
	h.Write(secret[:])
	h.Write(candidate[:])
	h.Write([]byte(parameters))
	return [32]byte(h.Sum(nil))
}

// DrawSeed is SHA-256("hide seed 1\n" || secret || number), without white space around the
// number.
func DrawSeed(secret [32]byte, number string) [32]byte {
	h := sha256.New()
	h.Write([]byte("hide seed 1\n"))
	h.Write(secret[:])
	h.Write([]byte(strings.TrimSpace(number)))
	return [32]byte(h.Sum(nil))
}

// DrawOrder sorts indices of passages by SHA-256(seed || index), the index as 8 bytes, big
// endian.
func DrawOrder(seed [32]byte, indices []int) []int {
	out := slices.Clone(indices)
	key := make(map[int][]byte, len(out))
	for _, i := range out {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(slices.Clone(seed[:]), uint64(i)))
		key[i] = sum[:]
	}
	slices.SortFunc(out, func(a, b int) int { return bytes.Compare(key[a], key[b]) })
	return out
}

// rounding is what a probability may lack, as a share of its limit, and still reach it.
const rounding = 1e-8

// sampleAtMost is the largest number L of leaking ones of N for which it has more than the
// probability alpha that at most k are found in a sample of n, if each leaking one in it is
// found with probability s.
//
// Of the L, readers would find a binomial number D. If D of N would be found, at most k of
// the sample are with probability g(D), g(k) = 1 and
//
//	g(D+1) = g(D) - n/N h(D),
//
// where h(D) is the probability of k among n-1 of N-1 others: one more changes the outcome
// only if it is in the sample and is the one too many. h follows from its ratios.
func sampleAtMost(N, n, k int, alpha, s float64) int {
	if n <= 0 || k >= n {
		return N
	}
	few := make([]float64, N+1)
	logH := 0.
	for i := range k {
		logH += math.Log(float64(n-1-i) / float64(N-1-i))
	}
	for D := range few {
		if D <= k {
			few[D] = 1
			continue
		}
		few[D] = max(0, few[D-1]-float64(n)/float64(N)*math.Exp(logH))
		// h(D)/h(D-1); without clean ones outside of the sample it ends.
		logH += math.Log(float64(D)/float64(D-k)) + math.Log(max(0, float64(N-D-n+k+1))/float64(N-D))
	}
	above := func(L int) bool { return thinned(few, L, s)*(1+rounding) > alpha }
	low, high := min(k, N), N+1 // above at low, not at high
	for high-low > 1 {
		if middle := (low + high) / 2; above(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// thinned is the mean of few over a binomial number of L.
func thinned(few []float64, L int, s float64) float64 {
	if s >= 1 {
		return few[L]
	}
	sum := 0.
	middle := int(float64(L) * s)
	at := binomial(L, middle, s)
	for D, p := middle, at; D <= L && p > 1e-20; D++ {
		sum += p * few[D]
		p *= float64(L-D) / float64(D+1) * s / (1 - s)
	}
	for D, p := middle, at; D > 0; {
		p *= float64(D) / float64(L-D+1) * (1 - s) / s
		if D--; p < 1e-20 {
			break
		}
		sum += p * few[D]
	}
	return sum
}

// binomial is the probability of j of n.
func binomial(n, j int, s float64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(j + 1))
	c, _ := math.Lgamma(float64(n - j + 1))
	return math.Exp(a - b - c + float64(j)*math.Log(s) + float64(n-j)*math.Log(1-s))
}

// wholeAtMost is the largest L of N for which more than alpha is the probability that at
// most k of L are found: the waiting time for find number k+1 is more than L. It ends at
// trial t with probability s w(t-1), w(t) = C(t, k) s^k (1-s)^(t-k).
func wholeAtMost(N, k int, alpha, s float64) int {
	if k >= N {
		return N
	}
	waiting, logW := 1., float64(k)*math.Log(s)
	for L := k; L < N; L++ {
		if waiting -= s * math.Exp(logW); waiting*(1+rounding) <= alpha {
			return L
		}
		logW += math.Log(float64(L+1)/float64(L+1-k)) + math.Log(1-s)
	}
	return N
}

// clopperPearson is the s for which c or more of m have the probability alpha.
func clopperPearson(m, c int, alpha float64) float64 {
	if c <= 0 {
		return 0
	}
	low, high := 0., 1.
	for range 100 {
		s := low + (high-low)/2
		if 1-fewerThan(m, c, s) > alpha {
			high = s
		} else {
			low = s
		}
	}
	return low
}

// fewerThan is P(X < c) of m trials.
func fewerThan(m, c int, s float64) float64 {
	if s <= 0 {
		return 1
	}
	if s >= 1 {
		return 0
	}
	sum, logP := 0., float64(m)*math.Log(1-s)
	for j := range c {
		sum += math.Exp(logP)
		logP += math.Log(float64(m-j)/float64(j+1)) + math.Log(s) - math.Log(1-s)
	}
	return sum
}

// recallAtEveryLook is the least s that gives c of m the probability alpha times that of a
// mixture, which expects 18 of 20 at first.
func recallAtEveryLook(m, c int, alpha float64) float64 {
	if c <= 0 {
		return 0
	}
	limit := math.Log(alpha) - rounding
	for i := range m {
		if i < c {
			limit += math.Log(float64(18+i) / float64(20+i))
		} else {
			limit += math.Log(float64(2+i-c) / float64(20+i))
		}
	}
	low, high := 0., float64(c)/float64(m)
	for range 100 {
		s := low + (high-low)/2
		p := float64(c) * math.Log(s)
		if c < m {
			p += float64(m-c) * math.Log(1-s)
		}
		if p > limit {
			high = s
		} else {
			low = s
		}
	}
	return low
}

// answers are t answers of a draw from N passages, k of them finds.
type answers struct {
	N, t, k int
	s       float64
	mixture float64 // logarithm of B(1+k, 30+t-k)/B(1, 30)
}

func answersOf(N, t, k int, s float64) answers {
	a := answers{N: N, t: t, k: k, s: s}
	a.mixture = logBeta(1+k, 30+t-k) - logBeta(1, 30)
	return a
}

func logBeta(a, b int) float64 {
	return logFactorial(a-1) + logFactorial(b-1) - logFactorial(a+b-1)
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n + 1))
	return v
}

// descend lowers a bound one by one while the answers are too improbable for it and
// more probable for fewer.
func (a answers) descend(bound int, alpha float64) int {
	limit := math.Log(alpha) + a.mixture - rounding
	p := a.logP(bound)
	for p < limit && bound > 0 {
		fewer := a.logP(bound - 1)
		if fewer <= p && !math.IsInf(p, -1) || bound <= a.k {
			break
		}
		bound, p = bound-1, fewer
	}
	return bound
}

// logP is the logarithm of the probability of the answers if L leak: the mean over the
// binomial number D of those that readers would find of
//
//	h(D) = [D]_k [N-D]_(t-k) / [N]_t.
func (a answers) logP(L int) float64 {
	if a.s >= 1 {
		return a.logH(L)
	}
	low, high := a.k, min(L, a.N-a.t+a.k)
	if low > high {
		return math.Inf(-1)
	}
	ratio := func(D int) float64 { // of D+1 to D
		return float64(L-D) / float64(D+1-a.k) * a.s / (1 - a.s) * float64(a.N-D-a.t+a.k) / float64(a.N-D)
	}
	first, last := low, high // the first D from which it falls
	for first < last {
		if middle := (first + last) / 2; ratio(middle) >= 1 {
			first = middle + 1
		} else {
			last = middle
		}
	}
	sum := 1.
	for D, p := first, 1.; D < high && p > 1e-18; D++ {
		p *= ratio(D)
		sum += p
	}
	for D, p := first, 1.; D > low && p > 1e-18; D-- {
		p /= ratio(D - 1)
		sum += p
	}
	top := logFactorial(L) - logFactorial(first) - logFactorial(L-first) + float64(first)*math.Log(a.s) + float64(L-first)*math.Log(1-a.s)
	return top + a.logH(first) + math.Log(sum)
}

// logH is the logarithm of h(D).
func (a answers) logH(D int) float64 {
	if D < a.k || a.N-D < a.t-a.k {
		return math.Inf(-1)
	}
	return logFactorial(D) - logFactorial(D-a.k) + logFactorial(a.N-D) - logFactorial(a.N-D-a.t+a.k) + logFactorial(a.N-a.t) - logFactorial(a.N)
}
