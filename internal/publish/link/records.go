// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"slices"

	"hide/internal/publish/link/compare"
)

// MostFields is how many fields one set of records can have: the levels of a pair are packed
// into 64 bits, four for each field.
const MostFields = 16

// A Field is one column of the records.
type Field struct {
	Name string
	Kind compare.Kind
	// Equal is how often equal values are expected among records of one person, before any
	// record is seen; 0 takes the usual share of the kind.
	Equal float64
}

// Records are the values to link, by column. Equal values are stored once.
type Records struct {
	fields  []Field
	columns []column
	n       int
	files   []int // the first record of each file but the first
}

// A column has one cell for each record. A cell is 0 if the value is missing, the number of a
// value, or severalBit and the number of a list of values.
type column struct {
	kind   compare.Kind
	cells  []uint32
	values []string // values[0] is "", the missing value
	number map[string]uint32
	lists  [][]uint32

	spellings map[spelling]struct{}
}

const severalBit = 1 << 31

// NewRecords has no records yet. It panics if there are more than [MostFields] fields.
func NewRecords(fields []Field) *Records {
	if len(fields) > MostFields {
		panic(fmt.Sprintf("link: %d fields; at most %d are possible", len(fields), MostFields))
	}
	r := &Records{fields: slices.Clone(fields), columns: make([]column, len(fields))}
	for i, f := range fields {
		r.columns[i] = column{kind: f.Kind, values: []string{""}, number: map[string]uint32{}, spellings: map[spelling]struct{}{}}
	}
	return r
}

// Fields returns the fields in the order of the columns.
func (r *Records) Fields() []Field { return slices.Clone(r.fields) }

// Len is the number of records.
func (r *Records) Len() int { return r.n }

// String does not show values: they are of patients.
func (r Records) String() string {
	return fmt.Sprintf("%d records of %d fields", r.n, len(r.fields))
}

// GoString is String, for the verb %#v.
func (r Records) GoString() string { return r.String() }

// Add appends a record, one cell for each field, and returns its number. A cell with several
// values agrees with another cell as well as its best value does. It panics if the number of
// cells is not the number of fields.
func (r *Records) Add(cells ...[]string) int {
	if len(cells) != len(r.fields) {
		panic(fmt.Sprintf("link: a record of %d cells for %d fields", len(cells), len(r.fields)))
	}
	for i, cell := range cells {
		r.columns[i].add(cell)
	}
	r.n++
	return r.n - 1
}

// NextFile starts a new file: records of one file are not compared with each other once there
// are two files or more.
func (r *Records) NextFile() { r.files = append(r.files, r.n) }

func (c *column) add(cell []string) {
	var one [4]uint32
	numbers := one[:0]
	for _, raw := range cell {
		if v := c.kind.Clean(raw); v != "" {
			n := c.numberOf(v)
			if !slices.Contains(numbers, n) {
				numbers = append(numbers, n)
			}
			c.addSpelling(n, raw)
		}
	}
	switch len(numbers) {
	case 0:
		c.cells = append(c.cells, 0)
	case 1:
		c.cells = append(c.cells, numbers[0])
	default:
		c.cells = append(c.cells, severalBit|uint32(len(c.lists)))
		c.lists = append(c.lists, slices.Clone(numbers))
	}
}

func (c *column) numberOf(value string) uint32 {
	n, known := c.number[value]
	if !known {
		n = uint32(len(c.values))
		c.values = append(c.values, value)
		c.number[value] = n
	}
	return n
}

// list returns the values of a cell. The result holds until the next call with the same space.
func (c *column) list(cell uint32, space *[1]uint32) []uint32 { return listOf(cell, c.lists, space) }

// listOf reads a cell that is 0, one number, or severalBit and the number of a list.
func listOf(cell uint32, lists [][]uint32, space *[1]uint32) []uint32 {
	switch {
	case cell == 0:
		return nil
	case cell&severalBit != 0:
		return lists[cell&^severalBit]
	}
	space[0] = cell
	return space[:]
}
