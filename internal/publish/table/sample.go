// SPDX-License-Identifier: Apache-2.0

package table

import (
	"errors"
	"slices"
)

// Unseen is the code of a sensitive value that no model counts: that of a row that is not
// released.
const Unseen = -1

// In gives the table with the rows of a sample first, and the sensitive values of
// all others [Unseen].
func (t *Table) In(s Sample) (*Table, error) {
	marks := t.Column(s.Column)
	value := int32(slices.Index(marks.Domain, s.Value))
	order, rest := make([]int32, 0, t.Rows), []int32(nil)
	for row, code := range marks.Codes {
		if code == value {
			order = append(order, int32(row))
		} else {
			rest = append(rest, int32(row))
		}
	}
	if len(order) == 0 {
		return nil, errors.New("no row is in the sample")
	}
	all := &Table{Rows: t.Rows, Sample: len(order)}
	order = append(order, rest...)
	for _, c := range t.Columns {
		column := *c
		if c.kept() {
			column.Codes = make([]int32, len(order))
			for i, row := range order {
				column.Codes[i] = c.Codes[row]
			}
		}
		all.Columns = append(all.Columns, &column)
	}
	all.unsee()
	return all, nil
}

// unsee hides the sensitive values of rows that are not released.
func (t *Table) unsee() {
	if t.Sample == 0 {
		return
	}
	for _, c := range t.With(Sensitive) {
		for row := t.Sample; row < t.Rows; row++ {
			c.Codes[row] = Unseen
		}
	}
}

// Released is the table of the rows that are released. Values that only other
// people have stay in its domains.
func (t *Table) Released() *Table {
	if t.Sample == 0 {
		return t
	}
	all := &Table{Rows: t.Sample}
	for _, c := range t.Columns {
		column := *c
		if c.kept() {
			column.Codes = c.Codes[:t.Sample:t.Sample]
		}
		all.Columns = append(all.Columns, &column)
	}
	return all
}
