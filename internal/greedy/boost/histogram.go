// SPDX-License-Identifier: Apache-2.0

package boost

import "math"

// The sums of a histogram are packed while few rows are in it: the first
// derivative in the upper half of 64 bits, the second in the lower.
const (
	resolution = 1 << 18   // of the largest derivative of each kind
	flushRows  = 1<<13 - 1 // sums of so many fit
	packedLow  = 1<<32 - 1 // the lower half
)

const _ = uint(1<<31 - 1 - flushRows*resolution) // each half stays below 2^31

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

// packedSums are those of the bins of the columns of a block.
type packedSums [blockColumns][maxBins]int64

// add adds some rows of a block; gh has what is packed of each of rows.
func (p *packedSums) add(block []uint64, rows []int32, gh []int64) {
	gh = gh[:len(rows)]
	for i, r := range rows {
		bins, v := block[r], gh[i]
		p[0][uint8(bins)] += v
		p[1][uint8(bins>>8)] += v
		p[2][uint8(bins>>16)] += v
		p[3][uint8(bins>>24)] += v
		p[4][uint8(bins>>32)] += v
		p[5][uint8(bins>>40)] += v
		p[6][uint8(bins>>48)] += v
		p[7][uint8(bins>>56)] += v
	}
}

// flush moves the sums of a column into h.
func (p *packedSums) flush(column int, h *histogram, bins int) {
	for i := range bins {
		s := unpack(p[column][i])
		h[i].g += s.g
		h[i].h += s.h
		p[column][i] = 0
	}
}

// sumBlock adds rows to the histograms of a block's columns, which have so many bins
// each.
func sumBlock(hists []histogram, block []uint64, rows []int32, gh []int64, bins func(column int) int) {
	var p packedSums
	for len(rows) > 0 {
		n := min(len(rows), flushRows)
		p.add(block, rows[:n], gh[:n])
		for c := range hists {
			p.flush(c, &hists[c], bins(c))
		}
		rows, gh = rows[n:], gh[n:]
	}
}

// subtract leaves in h what is not in part.
func (h *histogram) subtract(part *histogram, bins int) {
	for i := range bins {
		h[i] = h[i].minus(part[i])
	}
}
