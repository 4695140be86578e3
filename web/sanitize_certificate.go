// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"hide/internal/greedy"
)

// certificateWords say whether an attack on what would be published still pays, and
// why it was left so when one does.
func certificateWords(m greedy.Mode, all []greedy.Certified) (verdict, why string) {
	still := slices.DeleteFunc(slices.Clone(all), func(c greedy.Certified) bool { return !c.Pays })
	if len(still) == 0 {
		return "No attack that hide knows pays any more.",
			count(len(all), "attacker has", "attackers have") + " learnt from what would be published. The best that each can do costs more than it gains."
	}
	names := make([]string, len(still))
	for i, c := range still {
		names[i] = c.Learner
	}
	verdict = sentence(listed(names) + " would still pay")
	if m == greedy.Default {
		return "Stopped by the limit of rounds: " + listed(names) + " would still pay.", payWords(still[0])
	}
	return verdict, "This way of measuring does not go on until no attack pays. " + payWords(still[0])
}

// firstWords say what figures are worth that no round has confirmed.
func firstWords(running bool, lc float64) string {
	words := "First figures of L/C " + formatRatio(lc) + ": what the first round leaves. "
	if running {
		return words + "Nobody has attacked it yet. The attacks, further rounds and the certificate follow as the run gets there."
	}
	return words + "The run ended before anybody attacked it."
}

// BoundWords say what a theorem is worth here, for a class of dimension vc where one
// was stated.
func BoundWords(b greedy.Bound, vc float64) string {
	switch {
	case b.Trivial == 0:
		return "nothing is left to find"
	case !b.Applies:
		return "its conditions do not hold here"
	case !b.Vacuous:
		return "holds, and says something"
	case math.IsInf(b.NeedsLC, 0) || math.IsNaN(b.NeedsLC):
		return fmt.Sprintf("says nothing at any L/C: with a dimension of %s the notes learnt from have too few words", BoundNumber(vc))
	case math.IsInf(b.Value, 0):
		return fmt.Sprintf("says nothing here: it gives no bound, and she can get %s anyway. It would say something from L/C %s on", BoundNumber(b.Trivial), BoundNumber(b.NeedsLC))
	}
	return fmt.Sprintf("says nothing here: %s times what she can get anyway (%s). It would say something from L/C %s on", BoundNumber(b.Excess), BoundNumber(b.Trivial), BoundNumber(b.NeedsLC))
}

// BoundNumber has two places, or none when there are many before the point.
func BoundNumber(v float64) string {
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return "no bound"
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return formatCount(math.Round(v))
}

// payWords: "crf would find 12 sensitive words and mark 30 others."
func payWords(c greedy.Certified) string {
	return fmt.Sprintf("%s would find %s and mark %s.", c.Learner, count(c.Counts.TP, "sensitive word", "sensitive words"), count(c.Counts.FP, "other", "others"))
}
