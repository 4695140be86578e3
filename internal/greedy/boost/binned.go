// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"cmp"
	"context"
	"math"
	"slices"

	"hide/internal/parallel"
)

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

// blockBundles is how many bundles stand together, a byte each: what is known of a
// row is then read once for all of them.
const blockBundles = 8

// binned is a matrix of small numbers. Bin b of column c has the values above
// cuts[c][b-1] and not above cuts[c][b].
type binned struct {
	rows    int
	cuts    [][]float32
	bundles []bundle
	digits  []digit    // by column
	blocks  [][]uint64 // bundle b of row r is byte b%blockBundles of blocks[b/blockBundles][r]
}

// inBlock are the bundles of a block.
func (b *binned) inBlock(block int) (from, to int) {
	return block * blockBundles, min((block+1)*blockBundles, len(b.bundles))
}

func (x Matrix) bin(ctx context.Context, bins, workers int) (*binned, error) {
	b := &binned{rows: x.Rows(), cuts: make([][]float32, len(x))}
	err := parallel.Do(ctx, workers, len(x), func(_, c int) { b.cuts[c] = cutsOf(x[c], bins) })
	if err != nil {
		return nil, err
	}
	sizes := make([]int, len(x))
	for c, cuts := range b.cuts {
		sizes[c] = len(cuts) + 1
	}
	b.bundles = bundled(sizes)
	b.digits = digits(b.bundles, len(x))
	b.blocks = make([][]uint64, (len(b.bundles)+blockBundles-1)/blockBundles)
	err = parallel.Do(ctx, workers, len(b.blocks), func(_, i int) { b.blocks[i] = b.fill(x, i) })
	return b, err
}

// fill makes a block.
func (b *binned) fill(x Matrix, block int) []uint64 {
	out := make([]uint64, b.rows)
	from, to := b.inBlock(block)
	for i := from; i < to; i++ {
		for _, c := range b.bundles[i].columns {
			addBins(out, x[c], b.cuts[c], uint64(b.digits[c].unit)<<(8*(i-from)))
		}
	}
	return out
}

// addBins adds unit times the bin of each row.
func addBins(rows []uint64, column, cuts []float32, unit uint64) {
	s := newSearch(cuts)
	for r, v := range column {
		rows[r] += unit * uint64(s.above(v))
	}
}

// search has a column's cuts and, after them, numbers that nothing is above: a search
// then takes the same steps for every value, and has no branch to guess.
type search struct {
	cuts  [maxBins]float32
	first int // half of the least power of two above the number of cuts
}

func newSearch(cuts []float32) *search {
	s := &search{}
	for i := range s.cuts {
		s.cuts[i] = float32(math.Inf(1))
	}
	copy(s.cuts[:], cuts)
	for n := 1; n <= len(cuts); n *= 2 {
		s.first = n
	}
	return s
}

// above is how many cuts v is above.
func (s *search) above(v float32) int {
	at := 0
	for step := s.first; step > 0; step /= 2 {
		next := at + step
		if v > s.cuts[uint8(next-1)] {
			at = next
		}
	}
	return at
}

// bundle is columns whose bins together make one number below maxBins: bin b of the
// first, plus its number of bins times (bin b of the second, plus ...), as digits of
// a number of mixed radix. Its histogram has one place for every such number.
type bundle struct {
	columns []int
	bins    []int // of each of columns
	size    int   // the product of bins
}

// add makes a column the last digit.
func (b *bundle) add(column, bins int) {
	b.columns = append(b.columns, column)
	b.bins = append(b.bins, bins)
	b.size *= bins
}

// bundled puts columns into few bundles, given their numbers of bins: largest first,
// each into the fullest bundle that still has room (best fit decreasing). A column of
// one bin cannot be split and has no bundle.
func bundled(bins []int) []bundle {
	var order []int
	for c, n := range bins {
		if n > 1 {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bins[b], bins[a]) })
	var all []bundle
	var ofSize [maxBins + 1][]int // what is in all, by size
	for _, c := range order {
		i, found := fullest(&ofSize, maxBins/bins[c])
		if !found {
			i, all = len(all), append(all, bundle{size: 1})
		}
		all[i].add(c, bins[c])
		ofSize[all[i].size] = append(ofSize[all[i].size], i)
	}
	return all
}

// fullest takes out a bundle of the greatest size that is at most limit.
func fullest(ofSize *[maxBins + 1][]int, limit int) (i int, found bool) {
	for size := limit; size > 1; size-- {
		if n := len(ofSize[size]); n > 0 {
			i, ofSize[size] = ofSize[size][n-1], ofSize[size][:n-1]
			return i, true
		}
	}
	return 0, false
}

// marginals calls do with each column and the sums of its bins, which are good until
// do returns.
func (b *bundle) marginals(h *histogram, do func(column int, hist []sums)) {
	if len(b.columns) == 1 {
		do(b.columns[0], h[:b.size])
		return
	}
	var first, others histogram
	rest := h[:b.size]
	for i, bins := range b.bins {
		n := len(rest) / bins
		addUp(rest, first[:bins], others[:n])
		do(b.columns[i], first[:bins])
		rest = others[:n]
	}
}

// addUp sums hist by its first digit, and by what remains of its numbers without it.
// Others may begin where hist does.
func addUp(hist, first, others []sums) {
	clear(first)
	for i := range others {
		sum := sums{}
		for d, s := range hist[i*len(first):][:len(first)] {
			first[d] = first[d].plus(s)
			sum = sum.plus(s)
		}
		others[i] = sum
	}
}

// digit is where a bundle's numbers have a column: bin is number/unit%bins.
type digit struct{ bundle, unit, bins int }

func (d digit) of(number int) int { return number / d.unit % d.bins }

// digits gives each column its digit in its bundle.
func digits(bundles []bundle, columns int) []digit {
	of := make([]digit, columns)
	for i, b := range bundles {
		unit := 1
		for k, c := range b.columns {
			of[c] = digit{i, unit, b.bins[k]}
			unit *= b.bins[k]
		}
	}
	return of
}
