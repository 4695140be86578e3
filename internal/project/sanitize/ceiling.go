// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"hide/internal/words"
)

// RaisedWords state for which L/C a choice redacts if the ceiling required a larger one,
// and how much is found then; "" otherwise.
func (r *Run) RaisedWords(c Result) string {
	if !(c.At > c.LC) {
		return ""
	}
	as := fmt.Sprintf("At L/C %s the ceiling makes it redact as for L/C %s", ratio(c.LC), ratio(c.At))
	o := c.Outcome.Unseen()
	if !c.Done || len(o.Attack.Ranked) == 0 {
		return as + ". Whether that satisfies the ceiling is not known yet."
	}
	budget := slices.Max(slices.Collect(maps.Keys(o.Attack.Ranked)))
	found := o.Attack.Ranked[budget].Value
	among := fmt.Sprintf("%s of the sensitive words among %s", words.Percent(r.Params.Ceiling), words.Number(budget))
	if found > r.Params.Ceiling*float64(o.Sensitive) {
		return fmt.Sprintf("%s, the largest one, and the ranked attacker still finds more than %s: %s.", as, among, words.Amount(found))
	}
	return fmt.Sprintf("%s, the first round value at which the ranked attacker finds at most %s: %s here%s.", as, among, words.Amount(found), inOthers(o, budget))
}

// raised is the L/C that the ceiling used instead of the requested one, 0 if none.
func (c Result) raised() float64 {
	if c.At > c.LC {
		return c.At
	}
	return 0
}

func ratio(lc float64) string { return strconv.FormatFloat(lc, 'f', -1, 64) }
