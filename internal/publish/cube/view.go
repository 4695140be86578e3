// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

// NonNegative is a view of the release without negative counts: the nearest one
// whose counts have the same sum (projection onto a simplex). It is for people and programs
// that cannot use negative counts. It is biased: small counts become 0. Each marginal is
// projected by itself, so that they may disagree.
func (r *Release) NonNegative() *Release {
	out := *r
	out.Blocks, out.Views = slices.Clone(r.Blocks), slices.Clone(r.Views)
	if len(r.Blocks) > 0 {
		counts := make([]float64, len(r.Blocks))
		for i, b := range r.Blocks {
			counts[i] = b.Count
		}
		for i, x := range Simplex(counts) {
			out.Blocks[i].Count = x
		}
	}
	for i, v := range r.Views {
		out.Views[i].Counts = Simplex(v.Counts)
	}
	if r.Cells != nil {
		out.Blocks, out.Cells = r.cellBlocks(), nil
	}
	return &out
}

// cellBlocks are the cells that stay above 0, as blocks of one cell each.
func (r *Release) cellBlocks() []Block {
	counts := make([]float64, len(r.Cells))
	for i, c := range r.Cells {
		counts[i] = float64(c)
	}
	shape := r.Domain.shape()
	blocks := []Block{}
	for at, x := range Simplex(counts) {
		if x == 0 {
			continue
		}
		b := Block{Low: make([]int, len(shape)), High: make([]int, len(shape)), Count: x, SD: r.SD}
		for d := len(shape) - 1; d >= 0; d-- {
			b.Low[d] = at % shape[d]
			b.High[d] = b.Low[d] + 1
			at /= shape[d]
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// Simplex is the point nearest to x whose coordinates are not negative and add up
// to the sum of x, or to 0 when that is negative.
func Simplex(x []float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return SimplexTo(x, sum)
}

// SimplexTo is [Simplex] for another sum.
func SimplexTo(x []float64, sum float64) []float64 {
	out := make([]float64, len(x))
	if sum <= 0 || len(x) == 0 {
		return out
	}
	down := slices.Clone(x)
	slices.SortFunc(down, func(a, b float64) int { return cmp.Compare(b, a) })
	head, theta := 0.0, 0.0
	for i, v := range down {
		head += v
		if t := (head - sum) / float64(i+1); v > t {
			theta = t
		}
	}
	for i, v := range x {
		out[i] = max(0, v-theta)
	}
	return out
}

// AverageSlope is how steeply a slice falls or rises from one category to the next,
// on average over n categories, as section 5.3.3 compares trends: the sum of the
// slopes between neighbours, which are 1 apart, over n.
func AverageSlope(counts []float64) float64 {
	if len(counts) < 2 {
		return 0
	}
	sum := 0.0
	for i := 1; i < len(counts); i++ {
		sum += counts[i] - counts[i-1]
	}
	return sum / float64(len(counts))
}

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
