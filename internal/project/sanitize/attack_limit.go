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

// HeldShare is the default share of sensitive tokens that an attacker may find.
const HeldShare = .01

// MostFound is the most sensitive tokens that any attacker finds among the first budget
// words of her ranking, and which attacker it is; false if no attacker was run.
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

// Holding is the smallest L/C of the run from which on no attacker who reads budget words
// finds more than share of the sensitive tokens, at it and at every larger L/C. It is
// false if the largest L/C does not satisfy this, or if no attacker was run.
//
// L/C prices one token, but a reader cares about all that somebody finds in a given time.
// This converts the second into the first, on the run's own documents.
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

// HoldingWords state from which L/C on an attacker who reads budget words finds hardly
// anything. Board members think of such a reader, not of the price of a word. It is "" if
// no attacker was run.
func (r *Run) HoldingWords(budget int) string {
	most := words.PercentDigits(HeldShare, 0) + " %"
	least, ok := r.Holding(budget, HeldShare)
	if !ok {
		if !slices.ContainsFunc(r.Choices, func(c Result) bool { return c.Done && c.asked(budget) }) {
			return ""
		}
		return fmt.Sprintf("Even at the largest L/C of this run, an attacker who inspects %s words is expected to find more than %s of the sensitive words. Try a larger L/C, or finish more notes.", words.Number(budget), most)
	}
	o := least.Outcome.Unseen()
	found, _, _ := least.MostFound(budget)
	return fmt.Sprintf("From L/C %s on, no attacker of the run is expected to find more than %s of the sensitive words by inspecting %s: %s of %s%s. %s of the other words are kept.",
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

// rankedAtMost: ", the ranked one at most 12". The other attackers have no such bound.
func rankedAtMost(o greedy.Outcome, budget int) string {
	e, asked := o.Attack.Ranked[budget]
	if !asked || !(e.AtMost > 0) {
		return ""
	}
	return ", the ranked one at most " + words.Amount(math.Ceil(e.AtMost))
}
