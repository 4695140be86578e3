// SPDX-License-Identifier: Apache-2.0

package greedy

// Loss is T(H) = L*FN(H) + C*FP(H) (tkde equation 4).
func Loss(l, c, fn, fp float64) float64 { return l*fn + c*fp }

// share is part/whole, and 1 of nothing: what does not exist is not lost.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return part / whole
}

// CountOn counts h on the tokens that redacted leaves.
func CountOn(h, redacted, sensitive []bool) Counts {
	var c Counts
	for x, s := range sensitive {
		switch {
		case redacted[x]:
		case h[x] && s:
			c.TP++
		case h[x]:
			c.FP++
		case s:
			c.FN++
		default:
			c.TN++
		}
	}
	return c
}

// total is how many instances were counted.
func (c Counts) total() int { return c.TP + c.FP + c.FN + c.TN }

func (c Counts) plus(d Counts) Counts {
	return Counts{c.TP + d.TP, c.FP + d.FP, c.FN + d.FN, c.TN + d.TN}
}

// Pays reports whether adding a classifier with these counts on P(H) lowers
// T(H). By lemma 1, T(H u h) - T(H) = C*FP(h, P(H)) - L*TP(h, P(H)), so it pays
// when C*FP < L*TP.
func (c Counts) Pays(lc float64) bool { return float64(c.FP) < lc*float64(c.TP) }

// Priced are the counts of a classifier on P(H), what its true positives are worth
// when categories cost different losses L_c, and what its false ones cost when kinds
// of words have different prices C_k.
type Priced struct {
	Counts
	Worth float64 // sum_c (L_c/L)*TP_c; TP when every category costs L
	Cost  float64 // sum_k (C_k/C)*FP_k; FP when every kind costs C
}

// Pays is [Counts.Pays] with a loss per category and a price per kind of word. Lemma
// 1 holds in each category and kind, so
// T(H u h) - T(H) = sum_k C_k*FP_k(h, P(H)) - sum_c L_c*TP_c(h, P(H)).
func (p Priced) Pays(lc float64) bool { return p.Cost < lc*p.Worth }

// gain is what Pays compares with 0: sum_c L_c*TP_c - sum_k C_k*FP_k with C = 1.
func (p Priced) gain(lc float64) float64 { return lc*p.Worth - p.Cost }

// LocalOptimum reports whether H is a local optimum when the attacker's
// classifier h_A has these counts on P(H): TP = 0 or FP/TP >= L/C (tkde
// definition 4.1, theorem 2).
func LocalOptimum(lc float64, attacker Counts) bool { return !attacker.Pays(lc) }
