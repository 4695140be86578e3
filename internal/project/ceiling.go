// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"hide/internal/words"
)

// RaisedWords say for which L/C a choice redacts where the ceiling took a larger one
// than was asked for; "" where it did not.
func (r *Run) RaisedWords(c LCResult) string {
	ranked := c.Outcome.Unseen().Attack.Ranked
	if !(c.At > c.LC) || len(ranked) == 0 {
		return ""
	}
	budget := slices.Max(slices.Collect(maps.Keys(ranked)))
	return fmt.Sprintf("At L/C %s it redacts as for L/C %s, so that the ranked attacker is expected to find no more than %s of the sensitive words among %s.",
		ratio(c.LC), ratio(c.At), words.Percent(r.Params.Ceiling), words.Number(budget))
}

func ratio(lc float64) string { return strconv.FormatFloat(lc, 'f', -1, 64) }
