// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"hide/internal/words"
)

// RaisedWords say for which L/C a choice redacts where the ceiling took a larger one
// than was asked for, and what is found then; "" where it did not.
func (r *Run) RaisedWords(c Result) string {
	if !(c.At > c.LC) {
		return ""
	}
	as := fmt.Sprintf("At L/C %s it redacts as for L/C %s", ratio(c.LC), ratio(c.At))
	o := c.Outcome.Unseen()
	if !c.Done || len(o.Attack.Ranked) == 0 {
		return as + ", so far: whether that holds the ceiling is not known."
	}
	budget := slices.Max(slices.Collect(maps.Keys(o.Attack.Ranked)))
	found := o.Attack.Ranked[budget].Value
	among := fmt.Sprintf("%s of the sensitive words among %s", words.Percent(r.Params.Ceiling), words.Number(budget))
	if found > r.Params.Ceiling*float64(o.Sensitive) {
		return fmt.Sprintf("%s, the largest there is, and still the ranked attacker finds more than %s: %s.", as, among, words.Amount(found))
	}
	return fmt.Sprintf("%s, the first round one at which the ranked attacker finds no more than %s: %s here%s.", as, among, words.Amount(found), inOthers(o, budget))
}

// raised is the L/C that a ceiling took in place of the one asked for, 0 where none did.
func (c Result) raised() float64 {
	if c.At > c.LC {
		return c.At
	}
	return 0
}

func ratio(lc float64) string { return strconv.FormatFloat(lc, 'f', -1, 64) }
