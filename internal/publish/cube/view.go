// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"cmp"
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
