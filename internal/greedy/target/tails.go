// SPDX-License-Identifier: Apache-2.0

package target

import (
	"math"
	"sort"
)

// rounding is how much a probability may lie above its limit and still count as reaching it,
// as a share of the limit. It is more than sums lose.
const rounding = 1e-9

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

func logChoose(n, k int) float64 { return logFactorial(n) - logFactorial(k) - logFactorial(n-k) }

// binomial is P(X <= k) for n independent units that each leak with probability x.
func binomial(n, k int, x float64) float64 {
	switch {
	case k >= n:
		return 1
	case k < 0 || x >= 1:
		return 0
	case x <= 0:
		return 1
	}
	sum := 0.0
	for j := range k + 1 {
		sum += math.Exp(logChoose(n, j) + float64(j)*math.Log(x) + float64(n-j)*math.Log1p(-x))
	}
	return min(1, sum)
}

// hypergeometric is P(X <= k) for the leaking units among n drawn without replacement
// from all units, of which l leak.
func hypergeometric(all, l, n, k int) float64 {
	sum := 0.0
	for j := max(0, n-(all-l)); j <= min(k, n, l); j++ {
		sum += math.Exp(logChoose(l, j) + logChoose(all-l, n-j) - logChoose(all, n))
	}
	return min(1, sum)
}

// Allowed is the greatest number of leaking units among n for which a share above x is
// rejected with error probability at most risk (Angelopoulos et al. 2021, Learn then Test,
// with the exact binomial p-value):
//
//	max { k : P(Bin(n, x) <= k) <= risk }.
//
// It is -1 if not even n clean units suffice.
func Allowed(n int, x, risk float64) int {
	return sort.Search(n+1, func(k int) bool { return binomial(n, k, x) > risk*(1+rounding) }) - 1
}

// AllowedOnAverage is the greatest number of leaking units among n for which the expected
// share of leaking new units is at most x (conformal risk control, Angelopoulos et al.,
// ICLR 2024, with a loss of 0 or 1):
//
//	max { k : (k + 1) / (n + 1) <= x },
//
// and -1 if there is none.
func AllowedOnAverage(n int, x float64) int {
	return min(n, int(math.Floor(x*float64(n+1)+1e-9))-1)
}

// Need is the number of units that suffice for the share x if no unit leaks:
// (1-x)^n <= risk.
func Need(x, risk float64) int {
	n := max(1, int(math.Log(risk)/math.Log1p(-x))-1)
	for binomial(n, 0, x) > risk*(1+rounding) {
		n++
	}
	return n
}

// Smallest is the smallest share that n units without a leak show with error probability
// risk, 1 - risk^(1/n). It is 1 without units.
func Smallest(n int, risk float64) float64 {
	if n == 0 {
		return 1
	}
	return -math.Expm1(math.Log(risk) / float64(n))
}

// MostAmong bounds the leaking units among others that nobody has read, when the threshold
// allows k leaking units among n calibration units, and both are one random order of the
// same units. It is the least m for which the first m+k+1 leaking units hold at most k
// calibration units with probability at most risk. Each threshold on the path that allows k
// is covered, since more than m others leak before the (k+1)-th calibration unit only then.
func MostAmong(n, k, others int, risk float64) int {
	return sort.Search(others, func(m int) bool {
		return hypergeometric(n+others, m+k+1, n, k) <= risk*(1+rounding)
	})
}
