// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"errors"
	"fmt"
	"iter"
	"maps"
)

// Row is one row of a table: who it is about, and the values of the domain's
// dimensions, in their order.
type Row struct {
	Unit   string // "": each row is a unit of its own
	Values []string
	// In adds the place of the row to an error; nil numbers the rows.
	In func(error) error
}

// wrong adds the place of this row, the n-th, to an error.
func (r Row) wrong(n int, err error) error {
	if r.In != nil {
		return r.In(err)
	}
	return fmt.Errorf("row %d: %w", n, err)
}

// Counts is a table counted over a domain.
type Counts struct {
	Domain Domain
	// Bound is how many rows of one unit count at most: the sensitivity.
	Bound int64
	rows  [][]int32 // categories of each row that counts
	units map[string]int64
	// Dropped is how many rows exceeded the bound. It depends on the data: only the broker
	// may see it.
	Dropped int
}

// Count looks up every row's categories. Of the rows of one unit the first bound
// count. It refuses a row with a value that its dimension does not list, and a
// row without a unit when bound is above 0; a bound of 0 means that each row is a
// unit of its own.
func Count(rows iter.Seq2[Row, error], d Domain, bound int64) (*Counts, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if bound < 0 {
		return nil, fmt.Errorf("the bound of rows of one unit must be at least 1")
	}
	c := &Counts{Domain: d, Bound: max(1, bound), units: map[string]int64{}}
	lookup := d.lookups()
	n := 0
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		n++
		cats, err := d.categories(lookup, row.Values)
		if err != nil {
			return nil, row.wrong(n, err)
		}
		if bound > 0 {
			if row.Unit == "" {
				return nil, row.wrong(n, errors.New("it has no key"))
			}
			if c.units[row.Unit]++; c.units[row.Unit] > bound {
				c.Dropped++
				continue
			}
		}
		c.rows = append(c.rows, cats)
	}
	return c, nil
}

// Units are the units of the rows, in no order. It must not be published.
func (c *Counts) Units() iter.Seq[string] { return maps.Keys(c.units) }

// Rows is the number of counted rows. It must not be published.
func (c *Counts) Rows() int { return len(c.rows) }

func (d Domain) lookups() []map[string]int {
	out := make([]map[string]int, len(d))
	for i, dim := range d {
		out[i] = make(map[string]int, len(dim.Values))
		for k, v := range dim.Values {
			out[i][v] = k
		}
	}
	return out
}

// categories never repeats a value in its errors.
func (d Domain) categories(lookup []map[string]int, values []string) ([]int32, error) {
	if len(values) != len(d) {
		return nil, fmt.Errorf("has %d values for %d dimensions", len(values), len(d))
	}
	out := make([]int32, len(d))
	for i, dim := range d {
		at := dim.index(lookup[i], values[i])
		if at < 0 {
			return nil, fmt.Errorf("its value of %q is not in the domain: list it if the code book does, or add \"other\": true to the dimension", dim.Name)
		}
		out[i] = int32(at)
	}
	return out, nil
}

// Where keeps the rows for which every dimension of the box has one of its
// categories.
func (c *Counts) Where(b Box) int64 {
	n := int64(0)
	for _, row := range c.rows {
		if b.holds(row) {
			n++
		}
	}
	return n
}

// project counts the cells of some dimensions.
func (c *Counts) project(dims []int) []int64 {
	return c.Groups(dims, func([]int32) bool { return true })
}

// Groups counts the rows for which keep is true by the categories of some dimensions, the
// last one counting fastest. keep gets the categories of a row. It must not be published.
func (c *Counts) Groups(dims []int, keep func(row []int32) bool) []int64 {
	shape := make([]int, len(dims))
	for i, d := range dims {
		shape[i] = c.Domain[d].Size()
	}
	step := strides(shape)
	n := 1
	for _, s := range shape {
		n *= s
	}
	out := make([]int64, n)
	for _, row := range c.rows {
		if !keep(row) {
			continue
		}
		at := 0
		for i, d := range dims {
			at += int(row[d]) * step[i]
		}
		out[at]++
	}
	return out
}

// all is the numbers of all dimensions.
func (d Domain) all() []int {
	out := make([]int, len(d))
	for i := range out {
		out[i] = i
	}
	return out
}
