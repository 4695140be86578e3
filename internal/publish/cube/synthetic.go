// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

// mostSynthetic bounds the records that a release can be asked for.
const mostSynthetic = 10_000_000

// Synthetic draws records with the distribution of the release: as many as its total, each
// with the categories of a cell drawn by its share of the non-negative view. The slice is
// reused for the next record. Marginals do not determine how their dimensions depend on
// each other: ErrNotMeasured. The records cost nothing, and reveal nothing beyond the
// release.
func (r *Release) Synthetic(rng *rand.Rand) (iter.Seq[[]int], error) {
	if r.Views != nil {
		return nil, ErrNotMeasured
	}
	upTo, draw := r.weights(), r.inBlock
	if r.Cells != nil {
		draw = r.inCell
	}
	sum := 0.0
	for i, w := range upTo {
		sum += w
		upTo[i] = sum
	}
	return func(yield func([]int) bool) {
		rec := make([]int, len(r.Domain))
		for range int(min(math.Round(sum), mostSynthetic)) {
			at, _ := slices.BinarySearch(upTo, rng.Float64()*sum)
			if draw(rec, min(at, len(upTo)-1), rng); !yield(rec) {
				return
			}
		}
	}, nil
}

// weights are the counts of cells or blocks in the non-negative view.
func (r *Release) weights() []float64 {
	counts := make([]float64, 0, max(len(r.Cells), len(r.Blocks)))
	for _, c := range r.Cells {
		counts = append(counts, float64(c))
	}
	for _, b := range r.Blocks {
		counts = append(counts, b.Count)
	}
	return Simplex(counts)
}

// inCell writes where a cell is.
func (r *Release) inCell(rec []int, cell int, _ *rand.Rand) {
	for d, dim := range slices.Backward(r.Domain) {
		rec[d] = cell % dim.Size()
		cell /= dim.Size()
	}
}

// inBlock draws a cell of a block.
func (r *Release) inBlock(rec []int, block int, rng *rand.Rand) {
	b := r.Blocks[block]
	for d := range rec {
		rec[d] = b.Low[d] + rng.IntN(b.High[d]-b.Low[d])
	}
}
