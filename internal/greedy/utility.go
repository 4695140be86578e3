// SPDX-License-Identifier: Apache-2.0

package greedy

// AtRandom is what an attacker finds on average who inspects budget of the published
// tokens at random, of which left are sensitive: U_A / L of tkde section 3.2,
//
//	U_A/L = min(B, |P|) * FN(H) / |P|.
func AtRandom(budget int, published, left float64) float64 {
	if !(published > 0) {
		return 0
	}
	return min(float64(budget), published) * left / published
}

// Uniform is [AtRandom] where c are the counts of any classifier on what is published.
func (c Counts) Uniform(budget int) float64 {
	return AtRandom(budget, float64(c.TP+c.FP+c.TN+c.FN), float64(c.TP+c.FN))
}

// Prioritized is what she finds who inspects tokens that a classifier with counts c
// marks first, in no order, and others at random: U_A* / L of tkde section 4,
//
//	U_A*/L = TP + (B - TP - FP) * FN / (FN + TN)   when B >= TP + FP,
//	U_A*/L = B * TP / (TP + FP)                    otherwise.
func (c Counts) Prioritized(budget int) float64 {
	marked, rest := c.TP+c.FP, c.FN+c.TN
	if budget < marked {
		return float64(budget) * float64(c.TP) / float64(marked)
	}
	found := float64(c.TP)
	if rest > 0 {
		found += float64(min(budget-marked, rest)) * float64(c.FN) / float64(rest)
	}
	return found
}
