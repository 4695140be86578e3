// SPDX-License-Identifier: Apache-2.0

// Package outcome writes what a run has measured at one L/C in words: how much PHI
// would remain, how much other text would be kept, and what attackers would find.
package outcome

import (
	"math"
	"slices"

	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

// At is what a run found at an L/C; its Rounds are empty before the first.
func At(r *sanitize.Run, lc float64) sanitize.Result {
	c, _ := r.At(lc)
	return c
}

// SoFar is a run in which each L/C that is not finished has the outcome of the
// rounds used so far, so that its figures can be shown while it runs.
func SoFar(r *sanitize.Run) *sanitize.Run {
	out := *r
	out.Choices = slices.Clone(r.Choices)
	for i := range out.Choices {
		c := &out.Choices[i]
		if !unfinishedFigures(*c) {
			continue
		}
		c.Outcome = c.Rounds[len(c.Rounds)-1].Outcome
		for _, k := range slices.Backward(c.Rounds) {
			if k.Accepted {
				c.Outcome = k.Outcome
				break
			}
		}
	}
	return &out
}

// unfinishedFigures reports whether c has no outcome yet, but rounds with one. Those
// of greedy-union are many and have none.
func unfinishedFigures(c sanitize.Result) bool { return !c.Done && RoundsMeasured(c) }

// RoundsMeasured reports whether the rounds of c say what would be left after them.
func RoundsMeasured(c sanitize.Result) bool {
	return slices.ContainsFunc(c.Rounds, func(k greedy.Round) bool { return k.Outcome.Tokens > 0 })
}

// HasFigures reports whether there is an outcome of c to show.
func HasFigures(c sanitize.Result) bool { return c.Done || c.First || RoundsMeasured(c) }

// Budgets are the budgets B of an outcome's ranked attacker, ascending.
func Budgets(o greedy.Outcome) []int {
	out := make([]int, 0, len(o.Attack.Ranked))
	for b := range o.Attack.Ranked {
		out = append(out, b)
	}
	slices.Sort(out)
	return out
}

// RankedAt is what the ranked attacker finds with budget b, NaN when not known.
func RankedAt(o greedy.Outcome, b int) greedy.Estimate {
	if e, ok := o.Attack.Ranked[b]; ok {
		return e
	}
	return Unknown
}

// AtRandom is U_A/L, what reading b published words at random finds on average.
func AtRandom(o greedy.Outcome, b int) float64 {
	return greedy.AtRandom(b, o.PublishedRatio.Value*float64(o.Tokens), o.Residual.Value)
}

// Unknown is a figure that nobody has measured.
var Unknown = greedy.Estimate{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
