// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"math"
	"strconv"

	"hide/internal/greedy"
	"hide/internal/words"
)

// BoundWords say what a theorem is worth here, for a class of dimension vc where one
// was stated.
func BoundWords(b greedy.Bound, vc float64) string {
	switch {
	case b.Trivial == 0:
		return "nothing is left to find"
	case !b.Applies:
		return "its conditions do not hold here"
	case !b.Vacuous:
		return "holds and is informative"
	case math.IsInf(b.NeedsLC, 0) || math.IsNaN(b.NeedsLC):
		return "not informative at any L/C: " + whyVacuous(b.Constants, vc)
	case math.IsInf(b.Value, 0):
		return fmt.Sprintf("not informative: no bound (trivial bound %s). Informative from L/C %s on", BoundNumber(b.Trivial), BoundNumber(b.NeedsLC))
	}
	return fmt.Sprintf("not informative: %s times the trivial bound (%s). Informative from L/C %s on", BoundNumber(b.Excess), BoundNumber(b.Trivial), BoundNumber(b.NeedsLC))
}

// whyVacuous is why no L/C would do: theorems 3 and 4 have no constants.
func whyVacuous(c *greedy.Constants, vc float64) string {
	switch {
	case c != nil && (c.Q == 0 || math.IsInf(c.Lambda, 0)):
		return fmt.Sprintf("with a dimension of %s there are too few training words", BoundNumber(vc))
	case c != nil && c.R > 0 && c.S == 0:
		return "the attacker marks nothing wrongly"
	}
	return "there is a label of which leaving a word costs nothing"
}

// BoundConstants are p, q, r, s and lambda of theorems 5 and 6, and lemma 4's ratio.
func BoundConstants(b greedy.Bound) string {
	c := b.Constants
	if c == nil {
		return ""
	}
	return fmt.Sprintf("p %s, q %s, r %s, s %s, lambda %s; lemma 4: FP/TP at least %s", constant(c.P), constant(c.Q), constant(c.R), constant(c.S), constant(c.Lambda), constant(c.ErrorRatio))
}

// constant has three digits: r may be a millionth.
func constant(v float64) string {
	if math.IsInf(v, 0) {
		return "infinite"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// BoundNumber has two places, or none when there are many before the point.
func BoundNumber(v float64) string {
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return "no bound"
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return words.Amount(math.Round(v))
}
