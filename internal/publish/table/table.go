// SPDX-License-Identifier: Apache-2.0

package table

// MissingText is released for a missing value.
const MissingText = "na"

// Table is one row per patient, column by column. It does not change.
type Table struct {
	Rows    int
	Columns []*Column // in the order of the file, those of [Direct] without values
	// Sample is how many rows are released, the first ones; the others are people of
	// the population that these are from. 0 means that all rows are released.
	Sample int
	Beyond int    // of the released rows, those that a population given beside had nobody for
	absent []bool // [row] of the released ones, whether it is one of those; nil without a population beside
}

// Column is one attribute of all rows. Equal values have equal codes, and codes
// are in the order of the kind: numbers by size, dates by time, ordinals by their order,
// values of a hierarchy so that those below a label are neighbours, all others by their
// bytes. A missing value is a category of its own, after all others.
type Column struct {
	Attribute
	Domain  []string  // [code] each distinct value, as it is released when it stays
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

// IsMissing says whether a code is the missing value.
func (c *Column) IsMissing(code int32) bool {
	return c.Missing && int(code) == len(c.Domain)-1
}

// present is how many values there are without the missing one.
func (c *Column) present() int {
	if c.Missing {
		return len(c.Domain) - 1
	}
	return len(c.Domain)
}
