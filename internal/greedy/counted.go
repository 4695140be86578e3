// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"errors"
	"hide/internal/annotate"
	"slices"
)

// ErrAllChosen is returned when every document was picked for what it holds.
var ErrAllChosen = errors.New("no document was drawn at random: there is nothing to estimate from")

// uncounted is the group of a document that no estimate counts.
const uncounted = -1

// countedGroups numbers the groups that estimates are made from, in order of first
// appearance; chosen documents have the group uncounted.
func countedGroups(docs []annotate.Note) (group []int, n int) {
	counted := make([]annotate.Note, 0, len(docs))
	for _, d := range docs {
		if !d.Chosen {
			counted = append(counted, d)
		}
	}
	numbers, n := groups(counted)
	group = make([]int, len(docs))
	next := 0
	for i, d := range docs {
		group[i] = uncounted
		if !d.Chosen {
			group[i] = numbers[next]
			next++
		}
	}
	return group, n
}

// counted drops the tokens of chosen documents, which stay in order.
func counted(order []ranked) []ranked {
	return slices.DeleteFunc(order, func(r ranked) bool { return r.group == uncounted })
}
