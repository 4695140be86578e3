// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"hide/internal/publish/privacy"
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
// fail none.
func (c *cutter) fails(points []int32) string {
	for _, t := range c.tallies {
		clear(t.counts)
		for _, point := range points {
			for _, row := range c.rowsOf(point) {
				t.counts[t.codes[row]]++
			}
		}
		for _, m := range t.models {
			if !m.Holds(t.counts) {
				return m.String()
			}
		}
	}
	return ""
}
