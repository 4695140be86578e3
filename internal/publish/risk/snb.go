// SPDX-License-Identifier: Apache-2.0

package risk

import "math"

// snb takes the sizes of the population's K classes for 1 more than negative
// binomial,
//
//	P(F = 1) = b^a,  E z^F = z (b / (1 - (1-b) z))^a
//
// (Chen and Keller-McNulty 1998). K is Shlosser's estimate. When each person is in
// the sample with probability f, classes of one and of two rows are expected to be
//
//	K f (b/(1-d))^a (1 + a d/(1-d))                              d = (1-f)(1-b)
//	K f^2 a (1-b) (b/(1-d))^a (2 - (1-a) d) / (2 (1-d)^2)
//
// which gives a and b. There may be none that do.
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

// fitSNB finds a and b that make these the shares of classes with one and with two
// rows. For each b there is one a at most that gives their ratio, which grows with
// a; b is where the first share then fits.
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
