// SPDX-License-Identifier: Apache-2.0

package table

import "slices"

// Unseen is the code of a sensitive value that no model counts: that of a row of
// the population which is not released.
const Unseen = -1

// In says of each row whether it is in the sample, and gives the table with the
// sensitive values of all others [Unseen].
func (t *Table) In(s Sample) (all *Table, in []bool) {
	all, in = &Table{Rows: t.Rows}, make([]bool, t.Rows)
	marks := t.Column(s.Column)
	value := int32(slices.Index(marks.Domain, s.Value))
	for row, code := range marks.Codes {
		in[row] = code == value
	}
	for _, c := range t.Columns {
		if c.Role == Sensitive {
			column := *c
			column.Codes = slices.Clone(c.Codes)
			for row := range column.Codes {
				if !in[row] {
					column.Codes[row] = Unseen
				}
			}
			c = &column
		}
		all.Columns = append(all.Columns, c)
	}
	return all, in
}
