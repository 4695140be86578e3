// SPDX-License-Identifier: Apache-2.0

package study

import "hide/internal/greedy"

// Uniform is what an attacker finds who inspects budget of the published tokens at
// random: U_A / L of tkde section 4. c are the counts of any classifier on them.
func Uniform(c greedy.Counts, budget int) float64 {
	n := c.TP + c.FP + c.TN + c.FN
	if n == 0 {
		return 0
	}
	return float64(min(budget, n)) * float64(c.TP+c.FN) / float64(n)
}

// Prioritized is what she finds who inspects tokens that a classifier marks first,
// in no order, and others at random: U_A* / L of tkde section 4,
//
//	U_A*/L = TP + (B - TP - FP) * FN / (FN + TN)   when B >= TP + FP,
//	U_A*/L = B * TP / (TP + FP)                    otherwise.
func Prioritized(c greedy.Counts, budget int) float64 {
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
