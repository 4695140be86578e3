// SPDX-License-Identifier: Apache-2.0

// Package table holds a table with one row per patient and the roles of its attributes,
// and generalizes the values of a class of rows to common ones. Its roles and kinds are
// those of the configurations of all releases.
//
// [ReadConfig] reads what the attributes are, [ReadCSV] the rows. A [Table] keeps
// each distinct value once and for each row a code, so ten million rows with nine
// attributes need 360 MB. Packages mondrian and incognito decide which rows make a class;
// [Column.Generalize] gives the generalized value of the class and its information loss.
//
// In the terms of k-anonymity: direct identifiers are omitted, quasi-identifiers are
// generalized so that at least k rows agree in all of them, sensitive attributes are
// unchanged and should be diverse in each class (HIDE dissertation, 2.3.1).
//
// # Caveats
//
// One row is one patient: k, l and t count rows. Errors name columns, rows and
// byte offsets, and never a value.
package table

import (
	"errors"
	"slices"
)

// MissingText is released for a missing value.
const MissingText = "na"

// Table is one row per patient, column by column. It does not change.
type Table struct {
	Rows    int
	Columns []*Column // in the order of the file, those of [Direct] without values
	// Sample is how many rows are released, the first ones; the others are people of the
	// population of which they are a sample. 0 means that all rows are released.
	Sample int
	Beyond int    // released rows without a match in a separate population
	absent []bool // [row] of the released ones, whether it has no match; nil without a separate population
}

// Column is one attribute of all rows. Equal values have equal codes, and codes
// are in the order of the kind: numbers by size, dates by time, ordinals by their order,
// values of a hierarchy so that those below a label are neighbours, all others by their
// bytes. A missing value is a category of its own, after all others.
type Column struct {
	Attribute
	Domain  []string  // [code] each distinct value, in its unchanged released form
	Numbers []float64 // [code] of a Number, or seconds since 1970 of a Date; nil for other kinds; 0 for the missing value
	Missing bool      // the last of Domain is the missing value
	Codes   []int32   // [row]
	Tree    *Tree     // of the hierarchy, by code; nil when there is none
}

// Absent reports whether the separate population has no person with the quasi-identifiers of
// a row. The person may be there all the same, with a differently written value.
func (t *Table) Absent(row int32) bool { return int(row) < len(t.absent) && t.absent[row] }

// Column finds a column by name, nil when there is none.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// With gives the columns of a role, in their order.
func (t *Table) With(role Role) []*Column {
	var found []*Column
	for _, c := range t.Columns {
		if c.Role == role {
			found = append(found, c)
		}
	}
	return found
}

// IsMissing reports whether a code is the missing value.
func (c *Column) IsMissing(code int32) bool {
	return c.Missing && int(code) == len(c.Domain)-1
}

// present is the number of values without the missing one.
func (c *Column) present() int {
	if c.Missing {
		return len(c.Domain) - 1
	}
	return len(c.Domain)
}

// Unseen is the code of the sensitive value of a row that is not released: no model
// counts it.
const Unseen = -1

// In returns the table with the rows of a sample first, and with the sensitive values of
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

// Released is the table of the released rows. Values that only other people have stay in
// its domains.
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
