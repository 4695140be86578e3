// SPDX-License-Identifier: Apache-2.0

package incognito

import (
	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// Classes gives the classes of a table when each quasi-identifier is generalized to
// a level, in the order of their first rows, and the rows of classes that fail.
func Classes(t *table.Table, levels []int, k int, conditions []privacy.Condition) (classes table.Classes, suppressed []int32) {
	columns := t.With(table.Quasi)
	place := map[string]int{}
	var all table.Classes
	key := make([]byte, 0, 4*len(columns))
	for row := range t.Rows {
		key = key[:0]
		for i, c := range columns {
			n := c.Tree.Nodes[levels[i]][c.Codes[row]]
			key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		}
		at, known := place[string(key)]
		if !known {
			at = len(all)
			place[string(key)] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], int32(row))
	}
	for _, class := range all {
		if len(class) >= k && holds(class, conditions) {
			classes = append(classes, class)
		} else {
			suppressed = append(suppressed, class...)
		}
	}
	return classes, suppressed
}

func holds(class []int32, conditions []privacy.Condition) bool {
	for _, c := range conditions {
		counts := make([]int32, len(c.Column.Domain))
		for _, row := range class {
			counts[c.Column.Codes[row]]++
		}
		if !c.Model.Holds(counts) {
			return false
		}
	}
	return true
}
