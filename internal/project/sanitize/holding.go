// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/words"
)

// HeldShare is the share of the sensitive tokens that a board may let an attacker find.
const HeldShare = .01

// MostFound is the most sensitive tokens that any attacker finds in the budget words
// that it ranks first, and who that is; false when none was asked.
func (c Result) MostFound(budget int) (found float64, by attack.Kind, ok bool) {
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
func (r *Run) Holding(budget int, share float64) (least Result, ok bool) {
	all := slices.DeleteFunc(slices.Clone(r.Choices), func(c Result) bool { return !c.Done })
	slices.SortFunc(all, func(a, b Result) int { return cmp.Compare(b.LC, a.LC) })
	for _, c := range all {
		found, _, asked := c.MostFound(budget)
		if !asked || found > share*float64(c.Outcome.Unseen().Sensitive) {
			break
		}
		least, ok = c, true
	}
	return least, ok
}

// HoldingWords say from which L/C on hardly anything is expected to be found among
// budget words: L/C prices one word; a reader of this many is what people on a board
// picture. They are "" where nobody was asked.
func (r *Run) HoldingWords(budget int) string {
	most := words.PercentDigits(HeldShare, 0) + " %"
	least, ok := r.Holding(budget, HeldShare)
	if !ok {
		if !slices.ContainsFunc(r.Choices, func(c Result) bool { return c.Done && c.asked(budget) }) {
			return ""
		}
		return fmt.Sprintf("At the largest L/C of this run an attacker who inspects %s words is expected to find more than %s of the sensitive ones: try larger ones, or finish more notes.", words.Number(budget), most)
	}
	o := least.Outcome.Unseen()
	found, _, _ := least.MostFound(budget)
	return fmt.Sprintf("From L/C %s on none of the attackers asked is expected to find more than %s of the sensitive words among %s: %s of %s there%s. %s of the other words are kept.",
		ratio(least.LC), most, words.Number(budget), words.Amount(found), words.Number(o.Sensitive), rankedAtMost(o, budget), words.Percent(o.NonsensitiveKept.Value))
}

func (c Result) asked(budget int) bool {
	_, _, ok := c.MostFound(budget)
	return ok
}

// inOthers: ", at most 12 in other notes like these".
func inOthers(o greedy.Outcome, budget int) string {
	if e := o.Attack.Ranked[budget]; e.AtMost > 0 {
		return ", at most " + words.Amount(math.Ceil(e.AtMost)) + " in other notes like these"
	}
	return ""
}

// rankedAtMost: ", the ranked one at most 12". Of the others there is no such bound.
func rankedAtMost(o greedy.Outcome, budget int) string {
	e, asked := o.Attack.Ranked[budget]
	if !asked || !(e.AtMost > 0) {
		return ""
	}
	return ", the ranked one at most " + words.Amount(math.Ceil(e.AtMost))
}
