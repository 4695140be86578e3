// SPDX-License-Identifier: Apache-2.0

package boost

import "math"

// The sums of a histogram are packed while few rows are in it: the first
// derivative in the upper half of 64 bits, the second in the lower.
const (
	resolution = 1 << 18                                    // of the largest derivative of each kind
	flushRows  = 1 << 13                                    // two sums of half as many rows each fit
	packedLow  = 1<<32 - 1                                  // the lower half
	_          = flushRows / 2 * 2 * resolution / (1 << 32) // h: at most 2^31
)

// sums are of the derivatives of rows, in units of a gradients' scales.
type sums struct{ g, h int64 }

func (s sums) minus(t sums) sums { return sums{s.g - t.g, s.h - t.h} }

// histogram has the sums of a column's bins.
type histogram [maxBins]sums

// gradients are the derivatives of all rows, rounded.
type gradients struct {
	packed []int64
	g, h   float64 // what a unit is worth
}

// round packs the derivatives. No h is negative.
func (q *gradients) round(g, h []float64) {
	mostG, mostH := 0.0, 0.0
	for r := range g {
		mostG, mostH = max(mostG, math.Abs(g[r])), max(mostH, h[r])
	}
	q.g, q.h = unit(mostG), unit(mostH)
	for r := range g {
		q.packed[r] = int64(math.RoundToEven(g[r]/q.g))<<32 + int64(math.RoundToEven(h[r]/q.h))
	}
}

func unit(most float64) float64 {
	if most == 0 {
		return 1
	}
	return most / resolution
}

// unpack splits packed sums. The lower half never overflows, so the upper half is
// what is left without it.
func unpack(p int64) sums {
	low := p & packedLow
	return sums{(p - low) >> 32, low}
}

// addAll adds every row of a column.
func (h *histogram) addAll(column []uint8, packed []int64, bins int) {
	var a, b [maxBins]int64
	for len(column) > 0 {
		n := min(len(column), flushRows)
		part, gh := column[:n], packed[:n]
		i := 0
		for ; i+1 < len(part) && i+1 < len(gh); i += 2 {
			a[part[i]] += gh[i]
			b[part[i+1]] += gh[i+1]
		}
		if i < len(part) {
			a[part[i]] += gh[i]
		}
		h.flush(&a, &b, bins)
		column, packed = column[n:], packed[n:]
	}
}

// addRows adds some rows of a column; gh has what is packed of each of rows.
func (h *histogram) addRows(column []uint8, rows []int32, gh []int64, bins int) {
	var a, b [maxBins]int64
	for len(rows) > 0 {
		n := min(len(rows), flushRows)
		part, v := rows[:n], gh[:n]
		i := 0
		for ; i+1 < len(part) && i+1 < len(v); i += 2 {
			a[column[part[i]]] += v[i]
			b[column[part[i+1]]] += v[i+1]
		}
		if i < len(part) {
			a[column[part[i]]] += v[i]
		}
		h.flush(&a, &b, bins)
		rows, gh = rows[n:], gh[n:]
	}
}

// flush moves packed sums, of at most flushRows/2 + 1 rows each, into h.
func (h *histogram) flush(a, b *[maxBins]int64, bins int) {
	for i := range bins {
		s, t := unpack(a[i]), unpack(b[i])
		h[i].g += s.g + t.g
		h[i].h += s.h + t.h
		a[i], b[i] = 0, 0
	}
}

// subtract leaves in h what is not in part.
func (h *histogram) subtract(part *histogram, bins int) {
	for i := range bins {
		h[i] = h[i].minus(part[i])
	}
}
