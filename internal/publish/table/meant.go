// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"slices"
)

// Meant counts for each class the people whom its released values can mean: those of
// the class and all others whose every quasi-identifier they cover. Of the released
// rows and the people of the population it takes whichever are more: rows for whom
// the population has nobody may be people of it.
// levels are those of a full-domain generalization, by quasi-identifier, nil for
// local ones. The time is that of going through the rows that agree in the most
// selective attribute, class by class.
func (t *Table) Meant(ctx context.Context, classes Classes, levels []int) ([]int, error) {
	m := newMeaning(t, levels)
	meant := make([]int, len(classes))
	for i, class := range classes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		meant[i] = m.count(class)
	}
	return meant, nil
}

// meaning holds the rows of a table by the codes of each quasi-identifier.
type meaning struct {
	table   *Table
	columns []*Column
	levels  []int
	rows    [][]int32 // [column] rows by code
	first   [][]int32 // [column][code] place of the first in rows; one more at the end
	covers  [][]bool  // [column][code] what the class at hand can mean
}

func newMeaning(t *Table, levels []int) *meaning {
	m := &meaning{table: t, columns: t.With(Quasi), levels: levels}
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

func (m *meaning) count(class []int32) int {
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
func (m *meaning) within(j int, covers []bool) int {
	n := 0
	for code, covered := range covers {
		if covered {
			n += int(m.first[j][code+1] - m.first[j][code])
		}
	}
	return n
}

func (m *meaning) all(covers [][]bool, row int32) bool {
	for j, c := range m.columns {
		if !covers[j][c.Codes[row]] {
			return false
		}
	}
	return true
}

// cover sets what the values of a class in one column can mean. Nearly every class of
// a large table has values of its own, so that nothing is kept for the next.
func (m *meaning) cover(j int, class []int32) {
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

// covers sets for each value whether what sorted distinct codes are released as can
// mean it.
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
