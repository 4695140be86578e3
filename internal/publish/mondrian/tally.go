// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// tally counts the values of one sensitive attribute for all its models.
type tally struct {
	codes  []int32
	counts []int32
	models []privacy.Model
}

func newTallies(conditions []privacy.Condition) []tally {
	var all []tally
	place := map[string]int{}
	for _, c := range conditions {
		i, known := place[c.Column.Name]
		if !known {
			i = len(all)
			place[c.Column.Name] = i
			all = append(all, tally{codes: c.Column.Codes, counts: make([]int32, len(c.Column.Domain))})
		}
		all[i].models = append(all[i].models, c.Model)
	}
	return all
}

// fails names the first model that the rows of some points fail, "" when they
// fail none. Rows of which nothing is released ([table.Unseen]) do not count, and
// nothing can fail where there are no others.
func (c *cutter) fails(points []int32) string {
	for _, t := range c.tallies {
		clear(t.counts)
		seen := false
		for _, point := range points {
			for _, row := range c.rowsOf(point) {
				if code := t.codes[row]; code != table.Unseen {
					t.counts[code]++
					seen = true
				}
			}
		}
		for _, m := range t.models {
			if seen && !m.Holds(t.counts) {
				return m.String()
			}
		}
	}
	return ""
}
