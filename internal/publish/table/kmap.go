// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"math/rand/v2"
	"slices"
)

// PeopleByClass counts for each class the people who match its released values: those of
// the class and all others whose every quasi-identifier they cover. It counts released rows
// and people of the population, and takes the larger number: rows without a match in the
// population may still be people of it. levels are those of a full-domain generalization,
// by quasi-identifier, nil for local recoding. The time is proportional to the rows that
// match in the most selective attribute, summed over classes.
func (t *Table) PeopleByClass(ctx context.Context, classes Classes, levels []int) ([]int, error) {
	m := newCoverage(t, levels)
	people := make([]int, len(classes))
	for i, class := range classes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		people[i] = m.count(class)
	}
	return people, nil
}

// coverage holds the rows of a table by the codes of each quasi-identifier.
type coverage struct {
	table   *Table
	columns []*Column
	levels  []int
	rows    [][]int32 // [column] rows by code
	first   [][]int32 // [column][code] place of the first in rows; one more at the end
	covers  [][]bool  // [column][code] whether the current class covers the value
}

func newCoverage(t *Table, levels []int) *coverage {
	m := &coverage{table: t, columns: t.With(Quasi), levels: levels}
	for _, c := range m.columns {
		first := make([]int32, len(c.Domain)+1)
		for _, code := range c.Codes {
			first[code+1]++
		}
		for code := range c.Domain {
			first[code+1] += first[code]
		}
		rows, next := make([]int32, t.Rows), slices.Clone(first)
		for row, code := range c.Codes {
			rows[next[code]] = int32(row)
			next[code]++
		}
		m.rows, m.first, m.covers = append(m.rows, rows), append(m.first, first), append(m.covers, make([]bool, len(c.Domain)))
	}
	return m
}

func (m *coverage) count(class []int32) int {
	covers := m.covers
	best, fewest := 0, -1
	for j := range m.columns {
		m.cover(j, class)
		if n := m.within(j, covers[j]); fewest < 0 || n < fewest {
			best, fewest = j, n
		}
	}
	n, absent, others := 0, 0, 0
	for code, covered := range covers[best] {
		if !covered {
			continue
		}
		for _, row := range m.rows[best][m.first[best][code]:m.first[best][code+1]] {
			if !m.all(covers, row) {
				continue
			}
			n++
			switch {
			case m.table.Absent(row):
				absent++
			case int(row) >= m.table.Sample:
				others++
			}
		}
	}
	if m.table.Sample == 0 {
		return n
	}
	return n - min(absent, others)
}

// within counts the rows whose value of one column is covered.
func (m *coverage) within(j int, covers []bool) int {
	n := 0
	for code, covered := range covers {
		if covered {
			n += int(m.first[j][code+1] - m.first[j][code])
		}
	}
	return n
}

func (m *coverage) all(covers [][]bool, row int32) bool {
	for j, c := range m.columns {
		if !covers[j][c.Codes[row]] {
			return false
		}
	}
	return true
}

// cover sets which values of one column a class covers. In a large table nearly every
// class has its own values, so nothing is cached.
func (m *coverage) cover(j int, class []int32) {
	c, level := m.columns[j], 0
	if m.levels != nil {
		level = m.levels[j]
	}
	codes := make([]int32, 0, len(class))
	for _, row := range class {
		codes = append(codes, c.Codes[row])
	}
	slices.Sort(codes)
	c.covers(slices.Compact(codes), level, m.covers[j])
}

// covers sets for each value whether the released form of these sorted distinct codes
// covers it.
func (c *Column) covers(codes []int32, level int, covers []bool) {
	clear(covers)
	lo, hi := codes[0], codes[len(codes)-1]
	switch {
	case c.Tree != nil:
		lowest, _ := c.Tree.Cover(codes)
		nodes := c.Tree.Nodes[max(level, lowest)]
		for code := range covers {
			covers[code] = nodes[code] == nodes[lo]
		}
		return
	case lo != hi && c.Kind == Nominal:
		for _, code := range codes {
			covers[code] = true
		}
		return
	case lo == hi:
	case c.IsMissing(hi):
		lo, hi = 0, int32(len(c.Domain))-1
	case c.Kind == Date:
		_, lo, hi = c.dates(lo, hi)
	case c.Kind == Code:
		_, lo, hi = c.prefixes(lo, hi)
	}
	for code := lo; code <= hi; code++ {
		covers[code] = true
	}
}

// Precision is the precision of count queries on a released table (dissertation, 5.1.2
// and Figure 5.1): the share of the rows matching a query such as age > n in the released
// values that really match, averaged over queries. Recall is 1: no matching row is
// missed.
type Precision struct {
	Attribute string  `json:"attribute"`
	Released  float64 `json:"released"`
	Without   float64 `json:"without"` // if the attribute is left out and each query returns all rows
}

// QueryPrecision runs n random queries v > n and v < n on each numeric quasi-identifier,
// with n drawn between its smallest and largest value. A released row has the range of
// its class, or of the node of its tree: the lowest common one, or the one on the given
// level, by quasi-identifier. Equal seeds give equal figures. It fails only if ctx has
// ended.
func (t *Table) QueryPrecision(ctx context.Context, classes Classes, levels []int, queries int, seed uint64) ([]Precision, error) {
	all := []Precision{}
	for i, c := range t.With(Quasi) {
		if c.Numbers == nil || c.present() < 2 {
			continue
		}
		level := 0
		if levels != nil {
			level = levels[i]
		}
		b, err := c.bounds(ctx, classes, level)
		if err != nil {
			return nil, err
		}
		rng := rand.New(rand.NewPCG(seed, uint64(len(all))))
		all = append(all, c.precision(b, queries, rng))
	}
	return all, ctx.Err()
}

// bounds are the sorted ranges of the rows of a release.
type bounds struct {
	values, lows, highs []float64
}

// bounds returns the ranges of classes; level is the lowest released level of the tree.
func (c *Column) bounds(ctx context.Context, classes Classes, level int) (b bounds, err error) {
	first, last := c.Numbers[0], c.Numbers[c.present()-1]
	under := extents{c, map[int][][2]int32{}}
	for i, class := range classes {
		if i%1024 == 0 && ctx.Err() != nil {
			return b, ctx.Err()
		}
		lo, hi := c.Codes[class[0]], c.Codes[class[0]]
		for _, row := range class {
			lo, hi = min(lo, c.Codes[row]), max(hi, c.Codes[row])
			if !c.IsMissing(c.Codes[row]) {
				b.values = append(b.values, c.Numbers[c.Codes[row]])
			}
		}
		if c.IsMissing(lo) {
			continue // these are not queried
		}
		from, to := first, last
		if !c.IsMissing(hi) {
			lo, hi = under.said(lo, hi, level)
			from, to = c.Numbers[lo], c.Numbers[hi]
		}
		for range class {
			b.lows, b.highs = append(b.lows, from), append(b.highs, to)
		}
	}
	slices.Sort(b.values)
	slices.Sort(b.lows)
	slices.Sort(b.highs)
	return b, nil
}

// extents returns the released ranges of rows: for each node of the column's tree the
// smallest and largest code under it, by level, cached.
type extents struct {
	column *Column
	levels map[int][][2]int32
}

// said widens a range to everything under the node above it, at least on this level.
func (e extents) said(lo, hi int32, level int) (from, to int32) {
	if e.column.Tree == nil {
		return lo, hi
	}
	lowest, _ := e.column.Tree.Cover([]int32{lo, hi})
	level = max(level, lowest)
	if e.levels[level] == nil {
		e.levels[level] = e.column.extents(level)
	}
	extent := e.levels[level][e.column.Tree.Nodes[level][lo]]
	return extent[0], extent[1]
}

// extents visits each code once, in ascending order.
func (c *Column) extents(level int) [][2]int32 {
	all := make([][2]int32, len(c.Tree.Labels[level]))
	seen := make([]bool, len(all))
	for code, node := range c.Tree.Nodes[level][:c.present()] {
		if !seen[node] {
			seen[node], all[node][0] = true, int32(code)
		}
		all[node][1] = int32(code)
	}
	return all
}

func (c *Column) precision(b bounds, queries int, rng *rand.Rand) Precision {
	released, without, asked := 0.0, 0.0, 0
	for range queries {
		n := c.Numbers[rng.IntN(c.present())]
		meant, returned := above(b.values, n), above(b.highs, n)
		if rng.IntN(2) == 0 {
			meant, returned = below(b.values, n), below(b.lows, n)
		}
		if returned == 0 {
			continue
		}
		asked++
		released += float64(meant) / float64(returned)
		without += float64(meant) / float64(len(b.lows))
	}
	if asked == 0 {
		return Precision{c.Name, 1, 1}
	}
	return Precision{c.Name, released / float64(asked), without / float64(asked)}
}

// above counts the values greater than n in sorted values.
func above(sorted []float64, n float64) int {
	at, _ := slices.BinarySearchFunc(sorted, n, func(v, n float64) int {
		if v <= n {
			return -1
		}
		return 1
	})
	return len(sorted) - at
}

// below counts the values less than n in sorted values.
func below(sorted []float64, n float64) int {
	at, _ := slices.BinarySearch(sorted, n)
	return at
}
