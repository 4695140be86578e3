// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Matrix is a table by column: x[c][r] is what row r has in column c. NaN counts
// as less than every number.
type Matrix [][]float32

// Rows is how many rows there are.
func (x Matrix) Rows() int {
	if len(x) == 0 {
		return 0
	}
	return len(x[0])
}

func (x Matrix) check() error {
	if len(x) == 0 || len(x) > maxColumns {
		return fmt.Errorf("%d columns; 1 to %d are allowed", len(x), maxColumns)
	}
	if len(x[0]) > maxRows {
		return errors.New("too many rows")
	}
	for c := range x {
		if len(x[c]) != len(x[0]) {
			return fmt.Errorf("column %d has %d rows, the first has %d", c, len(x[c]), len(x[0]))
		}
	}
	return nil
}

const (
	maxBins = 256
	// cutRows is how many rows, evenly spread, say where a column is cut.
	cutRows = 1 << 15
)

// cutsOf divides a column into bins of about as many rows each. Values that are
// equal stay together; with no more different ones than bins, each has its own. Where
// there is NaN, the first bin is for it alone, unless there are but two.
func cutsOf(column []float32, bins int) []float32 {
	var cuts []float32
	if least, is := belowNumbers(column); is && bins > 2 {
		cuts = append(cuts, least)
	}
	step := max(1, (len(column)+cutRows-1)/cutRows)
	var sorted []float32
	for r := 0; r < len(column); r += step {
		if v := column[r]; v == v {
			sorted = append(sorted, v)
		}
	}
	slices.Sort(sorted)
	distinct := countDistinct(sorted)
	left := len(sorted) // rows that no finished bin has
	for from, in := 0, 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		in += to - from
		distinct--
		spare := bins - 1 - len(cuts)
		if to < len(sorted) && spare > 0 && (distinct <= spare || in*(spare+1) >= left) {
			cuts = append(cuts, between(sorted[from], sorted[to]))
			left -= in
			in = 0
		}
		from = to
	}
	return cuts
}

// belowNumbers is a number below all of a column's, if it has NaN beside them.
func belowNumbers(column []float32) (below float32, is bool) {
	least, nans, numbers := float32(math.Inf(1)), false, false
	for _, v := range column {
		if v != v {
			nans = true
			continue
		}
		least, numbers = min(least, v), true
	}
	below = math.Nextafter32(least, float32(math.Inf(-1)))
	return below, nans && numbers && below < least
}

func countDistinct(sorted []float32) int {
	n := 0
	for i := range sorted {
		if i == 0 || sorted[i] != sorted[i-1] {
			n++
		}
	}
	return n
}

// between is a number in [a, b), near the middle.
func between(a, b float32) float32 {
	middle := float32(float64(a)/2 + float64(b)/2)
	if !(middle >= a && middle < b) || math.IsInf(float64(middle), 0) {
		return a
	}
	return middle
}
