// SPDX-License-Identifier: Apache-2.0

package boost

import "math"

// The sums of a histogram are packed while few rows are in it: the first
// derivative in the upper half of 64 bits, the second in the lower.
const (
	resolution = 1 << 18   // of the largest derivative of each kind
	flushRows  = 1<<13 - 1 // sums of this number of rows fit
	packedLow  = 1<<32 - 1 // the lower half
)

const _ = uint(1<<31 - 1 - flushRows*resolution) // each half stays below 2^31

// sums are of the derivatives of rows, in units of a gradients' scales.
type sums struct{ g, h int64 }

func (s sums) plus(t sums) sums  { return sums{s.g + t.g, s.h + t.h} }
func (s sums) minus(t sums) sums { return sums{s.g - t.g, s.h - t.h} }

// histogram has the sums of a bundle's numbers.
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
// what remains without it.
func unpack(p int64) sums {
	low := p & packedLow
	return sums{(p - low) >> 32, low}
}

// packedSums are those of the numbers of the bundles of a block.
type packedSums [blockBundles][maxBins]int64

// add adds some rows of a block; gh has what is packed of each of rows.
func (p *packedSums) add(block []uint64, rows []int32, gh []int64) {
	gh = gh[:len(rows)]
	for i, r := range rows {
		numbers, v := block[r], gh[i]
		p[0][uint8(numbers)] += v
		p[1][uint8(numbers>>8)] += v
		p[2][uint8(numbers>>16)] += v
		p[3][uint8(numbers>>24)] += v
		p[4][uint8(numbers>>32)] += v
		p[5][uint8(numbers>>40)] += v
		p[6][uint8(numbers>>48)] += v
		p[7][uint8(numbers>>56)] += v
	}
}

// flush moves the sums of a bundle into its histogram.
func (p *packedSums) flush(bundle int, hist []sums) {
	packed := p[bundle][:len(hist)]
	for i, v := range packed {
		hist[i] = hist[i].plus(unpack(v))
	}
	clear(packed)
}

// sumBlock makes the histograms of a block's bundles of rows.
func sumBlock(hists []histogram, block []uint64, rows []int32, gh []int64, bundles []bundle) {
	var p packedSums
	for b := range bundles {
		clear(hists[b][:bundles[b].size])
	}
	for len(rows) > 0 {
		n := min(len(rows), flushRows)
		p.add(block, rows[:n], gh[:n])
		for b := range bundles {
			p.flush(b, hists[b][:bundles[b].size])
		}
		rows, gh = rows[n:], gh[n:]
	}
}

// subtract leaves in h what is not in part.
func (h *histogram) subtract(part *histogram, size int) {
	for i := range size {
		h[i] = h[i].minus(part[i])
	}
}
