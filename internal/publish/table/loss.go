// SPDX-License-Identifier: Apache-2.0

package table

import "slices"

// Classes are the equivalence classes: rows that are released with equal values.
type Classes [][]int32

// Generalized is a table's quasi-identifiers, class by class.
type Generalized struct {
	Columns []*Column
	Cells   [][]Cell // [class][column]
}

// Generalize recodes every class of a table: each quasi-identifier to the most specific
// value that covers its rows.
func (t *Table) Generalize(classes Classes) Generalized {
	g := Generalized{Columns: t.With(Quasi), Cells: make([][]Cell, len(classes))}
	var codes []int32
	for i, class := range classes {
		g.Cells[i] = make([]Cell, len(g.Columns))
		for j, c := range g.Columns {
			codes = codes[:0]
			for _, row := range class {
				codes = append(codes, c.Codes[row])
			}
			slices.Sort(codes)
			codes = slices.Compact(codes)
			g.Cells[i][j] = c.GeneralizeSorted(codes)
		}
	}
	return g
}

// NCP is the normalized certainty penalty of a generalized table: the mean over
// rows of the mean over quasi-identifiers, 0 to 1 (rx-anon, section 5.3).
func (g Generalized) NCP(classes Classes) float64 {
	sum, rows := 0.0, 0
	for i, class := range classes {
		row := 0.0
		for _, cell := range g.Cells[i] {
			row += cell.Loss
		}
		sum += row * float64(len(class))
		rows += len(class)
	}
	if rows == 0 || len(g.Columns) == 0 {
		return 0
	}
	return sum / float64(rows) / float64(len(g.Columns))
}
