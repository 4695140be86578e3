// SPDX-License-Identifier: Apache-2.0

package risk

import (
	"math"
)

// pitman fits Pitman's sampling formula with theta > 0 and 0 <= alpha < 1 by maximum
// likelihood (Hoshino 2001),
//
//	log L = sum_{i=1}^{u-1} log(theta + i alpha) - sum_{i=1}^{n-1} log(theta + i)
//	        + sum_j s_j sum_{i=1}^{j-1} log(i - alpha)
//
// for u classes, s_j of them with j rows, and returns the expected number of classes of
// size one among N people:
//
//	N prod_{j=0}^{N-2} (theta + alpha + j) / (theta + 1 + j)
//
// for which Gamma(theta+1)/Gamma(theta+alpha) N^alpha is the limit for large N. There is
// no maximum if all rows are unique, or if all form one class.
func (h sample) pitman(people int) (alone float64, fits bool) {
	if h.classes == h.rows || h.classes < 2 {
		return 0, false
	}
	alpha := root(0, 1-1e-9, func(alpha float64) float64 { return h.slope(h.theta(alpha), alpha) })
	theta := h.theta(alpha)
	n := float64(people)
	return math.Exp(math.Log(n) + logRising(theta+alpha, n-1) - logRising(theta+1, n-1)), true
}

// theta is its maximum likelihood estimate for an alpha: where the derivative
//
//	sum_{i=1}^{u-1} 1/(theta + i alpha) - sum_{i=1}^{n-1} 1/(theta + i)
//
// is 0. It is positive near 0 and negative far away, since u < n.
func (h sample) theta(alpha float64) float64 {
	log := root(-30, 60, func(log float64) float64 {
		theta := math.Exp(log)
		return h.classSum(theta, alpha) - harmonic(theta+1, h.rows-1)
	})
	return math.Exp(log)
}

// classSum is sum_{i=1}^{u-1} 1/(theta + i alpha).
func (h sample) classSum(theta, alpha float64) float64 {
	if alpha < 1e-9 {
		return float64(h.classes-1) / theta
	}
	return harmonic(theta/alpha+1, h.classes-1) / alpha
}

// slope is the derivative of log L with respect to alpha,
//
//	sum_{i=1}^{u-1} i/(theta + i alpha) - sum_j s_j sum_{i=1}^{j-1} 1/(i - alpha)
func (h sample) slope(theta, alpha float64) float64 {
	u := float64(h.classes)
	sum := (u - 1 - theta*h.classSum(theta, alpha)) / alpha
	if alpha < 1e-9 {
		sum = u * (u - 1) / 2 / theta
	}
	for k, size := range h.sizes {
		sum -= float64(h.counts[k]) * harmonic(1-alpha, size-1)
	}
	return sum
}

// root finds where a function changes from positive to negative, or an end if it does
// not.
func root(lo, hi float64, f func(float64) float64) float64 {
	if f(lo) <= 0 {
		return lo
	}
	for range 80 {
		mid := (lo + hi) / 2
		if f(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// harmonic is sum_{i=0}^{m-1} 1/(x + i), for x > 0: term by term up to where the series
// of the digamma function is exact.
func harmonic(x float64, m int) float64 {
	const exact = 40
	sum := 0.0
	for ; m > 0 && x < exact; m-- {
		sum += 1 / x
		x++
	}
	if m == 0 {
		return sum
	}
	y := x + float64(m)
	a, b := 1/(x*x), 1/(y*y)
	return sum + math.Log1p(float64(m)/x) + (1/x-1/y)/2 + (a-b)/12 - (a*a-b*b)/120
}

// logRising is log Gamma(x+m)/Gamma(x).
func logRising(x, m float64) float64 {
	upper, _ := math.Lgamma(x + m)
	lower, _ := math.Lgamma(x)
	return upper - lower
}

// snb models the sizes of the population's K classes as 1 plus a negative binomial
// variable,
//
//	P(F = 1) = b^a,  E z^F = z (b / (1 - (1-b) z))^a
//
// (Chen and Keller-McNulty 1998). K is Shlosser's estimate. If each person is in the
// sample with probability f, the expected numbers of classes with one and with two rows
// are
//
//	K f (b/(1-d))^a (1 + a d/(1-d))                              d = (1-f)(1-b)
//	K f^2 a (1-b) (b/(1-d))^a (2 - (1-a) d) / (2 (1-d)^2)
//
// which give a and b. There may be no solution.
func (h sample) snb(people int) (alone float64, fits bool) {
	f := float64(h.rows) / float64(people)
	k := h.shlosser(f)
	one, two := h.count(1), h.count(2)
	if two == 0 || math.IsNaN(k) || math.IsInf(k, 0) {
		return 0, false
	}
	a, b, fits := fitSNB(one/k, two/k, f)
	return k * math.Pow(b, a), fits
}

// fitSNB finds a and b for which these are the shares of classes with one and with two
// rows. For each b at most one a gives their ratio, which grows with a; b is where the
// first share then fits.
func fitSNB(one, two, f float64) (a, b float64, fits bool) {
	miss := func(logit float64) float64 {
		b = 1 / (1 + math.Exp(-logit))
		a = math.Exp(root(-30, 30, func(log float64) float64 {
			p1, p2 := shares(math.Exp(log), b, f)
			return two/one - p2/p1
		}))
		p1, _ := shares(a, b, f)
		return p1 - one
	}
	const from, to, steps = -25, 25, 500
	last, at := miss(from), float64(from)
	for i := 1; i <= steps; i++ {
		next := from + float64(to-from)*float64(i)/steps
		now := miss(next)
		if last < 0 && now >= 0 || last > 0 && now <= 0 {
			sign := 1.0
			if last < 0 {
				sign = -1
			}
			miss(root(at, next, func(logit float64) float64 { return sign * miss(logit) }))
			p1, p2 := shares(a, b, f)
			return a, b, math.Abs(p1-one) < 1e-6*one && math.Abs(p2-two) < 1e-6*two
		}
		last, at = now, next
	}
	return 0, 0, false
}

// shares are the probabilities that a class has one and two rows in a sample.
func shares(a, b, f float64) (one, two float64) {
	d := (1 - f) * (1 - b)
	g := math.Pow(b/(1-d), a)
	one = f * g * (1 + a*d/(1-d))
	two = f * f * a * (1 - b) * g * (2 - (1-a)*d) / (2 * (1 - d) * (1 - d))
	return one, two
}

// shlosser estimates the number of classes of the population (the third of Haas and
// Stokes 1998),
//
//	u + s_1 [sum i f^2 (1-f^2)^{i-1} s_i / sum (1-f)^i ((1+f)^i - 1) s_i] [sum (1-f)^i s_i / sum i f (1-f)^{i-1} s_i]^2
func (h sample) shlosser(f float64) float64 {
	var second, over, unseen, once float64
	for k, size := range h.sizes {
		i, s := float64(size), float64(h.counts[k])
		second += i * f * f * math.Pow(1-f*f, i-1) * s
		over += (math.Pow(1-f*f, i) - math.Pow(1-f, i)) * s
		unseen += math.Pow(1-f, i) * s
		once += i * f * math.Pow(1-f, i-1) * s
	}
	if over == 0 || once == 0 {
		return float64(h.classes)
	}
	return float64(h.classes) + h.count(1)*second/over*(unseen/once)*(unseen/once)
}
