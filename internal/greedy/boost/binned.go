// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"context"
	"math"

	"hide/internal/parallel"
)

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
