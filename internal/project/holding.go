// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"slices"

	"hide/internal/greedy/attack"
)

// HeldShare is the share of the sensitive tokens that a board may let an attacker find.
const HeldShare = .01

// MostFound is the most sensitive tokens that any attacker finds in the budget words
// that it ranks first, and who that is; false when none was asked.
func (c LCResult) MostFound(budget int) (found float64, by attack.Kind, ok bool) {
	if e, asked := c.Outcome.Unseen().Attack.Ranked[budget]; asked {
		found, by, ok = e.Value, attack.Ranked, true
	}
	for _, r := range c.Attackers {
		for _, p := range r.Points {
			if p.Budget == budget && (!ok || p.Found > found) {
				found, by, ok = p.Found, r.Kind, true
			}
		}
	}
	return found, by, ok
}

// Holding is the least L/C of the run from which on, at it and at every larger one, no
// attacker who reads budget words finds more than share of the sensitive tokens; false
// when the largest does not hold either, or nobody was asked.
//
// L/C prices one token; a reader's promise is about all that somebody finds in a given
// time. This leads from the second to the first, on the run's own documents.
func (r *Run) Holding(budget int, share float64) (least LCResult, ok bool) {
	all := slices.DeleteFunc(slices.Clone(r.Choices), func(c LCResult) bool { return !c.Done })
	slices.SortFunc(all, func(a, b LCResult) int { return cmp.Compare(b.LC, a.LC) })
	for _, c := range all {
		found, _, asked := c.MostFound(budget)
		if !asked || found > share*float64(c.Outcome.Unseen().Sensitive) {
			break
		}
		least, ok = c, true
	}
	return least, ok
}
