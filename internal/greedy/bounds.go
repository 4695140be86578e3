// SPDX-License-Identifier: Apache-2.0

package greedy

// MaxTruePositives is theorem 3 (tkde): at a local optimum the attacker's
// classifier finds TP_A <= (C/L)*(1-alpha)*n sensitive tokens, where
// (1-alpha)*n = nonsensitive.
func MaxTruePositives(lc float64, nonsensitive int) float64 { return float64(nonsensitive) / lc }

// MaxGain is theorem 4 (tkde): at a local optimum, with B >= TP_A+FP_A and
// TP_A*TN_A >= FP_A*FN_A, U_A*/U_A <= ((1-alpha)*n + 1) / (1 + L/C).
func MaxGain(lc float64, nonsensitive int) float64 { return (float64(nonsensitive) + 1) / (1 + lc) }

// Gain is U_A*/U_A: what an attacker finds who inspects budget tokens with those
// the classifier marks first, over what inspecting at random finds (tkde
// section 4, before lemma 2). budget lies between TP+FP and the number of
// tokens; the result is 1 when nothing is sensitive.
func Gain(c Counts, budget int) float64 {
	n, sensitive := c.TP+c.FP+c.TN+c.FN, c.TP+c.FN
	if sensitive == 0 || budget == 0 {
		return 1
	}
	found := float64(c.TP)
	if rest := c.FN + c.TN; rest > 0 {
		found += float64(budget-c.TP-c.FP) * float64(c.FN) / float64(rest)
	}
	return found / (float64(budget) * float64(sensitive) / float64(n))
}

// PrioritizingHelps is the condition of lemma 2 (tkde): the attacker who
// inspects marked tokens first does at least as well as one who picks at random.
func PrioritizingHelps(c Counts) bool { return c.TP*c.TN >= c.FP*c.FN }
