// SPDX-License-Identifier: Apache-2.0

package link

import (
	"math/bits"

	"hide/internal/publish/link/compare"
)

// captures count matches by the rules that give them, as capture and recapture needs it.
type captures struct {
	byRules [3]float64    // matches that one rule gives, two rules, more
	byLists [2][2]float64 // matches by whether a rule of each list gives them
}

func (c *captures) count(rules uint32, lists [2]uint32, p float64) {
	c.byRules[min(bits.OnesCount32(rules), 3)-1] += p
	c.byLists[isIn(rules, lists[0])][isIn(rules, lists[1])] += p
}

func isIn(rules, list uint32) int {
	if rules&list != 0 {
		return 1
	}
	return 0
}

func (c *captures) add(d *captures) {
	for i := range c.byRules {
		c.byRules[i] += d.byRules[i]
	}
	for i := range c.byLists {
		for j := range c.byLists[i] {
			c.byLists[i][j] += d.byLists[i][j]
		}
	}
}

// unseen estimates the matches that no rule gives. Errors in names and birth dates are
// independent of errors in addresses and numbers. So the second list misses the same share of
// the matches that the first list misses, as it misses of all matches. Matches that only rules
// of neither list give are seen:
//
//	unseen = n01·n10 / n11 − n00   [Petersen 1896]
//
// It is not below the estimate for t rules from the matches that one rule gives and that two
// rules give: (t−1)/t · f1² / (2·f2) [Chao 1987].
func (c *captures) unseen(rules int) float64 {
	one, two := c.byRules[0], c.byRules[1]
	least := 0.
	if one > 0 {
		least = float64(rules-1) / float64(rules) * one * one / (2 * max(two, one/2))
	}
	n := &c.byLists
	if n[1][1] < 1 {
		return least
	}
	return max(least, n[0][1]*n[1][0]/n[1][1]-n[0][0])
}

// personal are the kinds of the first list of rules; all other kinds are those of the second.
var personal = map[compare.Kind]bool{
	compare.Given: true, compare.Middle: true, compare.Surname: true, compare.FullName: true, compare.Sex: true,
	compare.BirthDate: true, compare.BirthYear: true, compare.BirthMonth: true, compare.BirthDay: true,
}

// ruleLists are the rules that use names and birth dates only, and the rules that use neither.
func (e *engine) ruleLists() (lists [2]uint32) {
	kinds := uint32(0)
	for f, field := range e.fields {
		if personal[field.Kind] {
			kinds |= 1 << f
		}
	}
	for r, rule := range e.config.Rules {
		switch used := rule.fields(e.fields); {
		case used&^kinds == 0:
			lists[0] |= 1 << r
		case used&kinds == 0:
			lists[1] |= 1 << r
		}
	}
	return lists
}
