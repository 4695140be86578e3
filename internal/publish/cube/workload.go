// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"context"
	"math"
	"math/rand/v2"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// Workload is questions whose true answers are known, to measure methods on public
// data. It is not for publishing.
type Workload struct {
	domain Domain
	slices [][]int // dimensions of each slice
	boxes  []Box
	cells  []int64 // the truth
	truth  [][]float64
	inside []float64 // truth of boxes
}

// NewWorkload asks for the slices, by dimensions, and for random boxes of
// neighbouring categories.
func NewWorkload(c *Counts, slices [][]int, boxes int, seed uint64) *Workload {
	w := &Workload{domain: c.Domain, slices: slices, cells: c.project(c.Domain.all())}
	rng := rand.New(rand.NewPCG(seed, 0))
	shape := c.Domain.shape()
	for range boxes {
		b := make(Box, len(shape))
		for d, n := range shape {
			lo, hi := rng.IntN(n), rng.IntN(n)
			for i := min(lo, hi); i <= max(lo, hi); i++ {
				b[d] = append(b[d], i)
			}
		}
		sum, _ := sumBox(w.cells, shape, b)
		w.boxes, w.inside = append(w.boxes, b), append(w.inside, sum)
	}
	for _, dims := range slices {
		w.truth = append(w.truth, asFloats(c.project(dims)))
	}
	return w
}

func asFloats(x []int64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// Errors are the mean absolute error of a category of each slice, that of a box,
// and the sum over all cells, of an estimate of every cell.
func (w *Workload) Errors(dense []float64) []float64 {
	var out []float64
	for i, dims := range w.slices {
		out = append(out, meanAbs(SliceOf(w.domain, dense, dims), w.truth[i]))
	}
	boxes := make([]float64, len(w.boxes))
	for i, b := range w.boxes {
		boxes[i], _ = sumBox(dense, w.domain.shape(), b)
	}
	l1 := 0.0
	for i, x := range dense {
		l1 += math.Abs(x - float64(w.cells[i]))
	}
	return append(out, meanAbs(boxes, w.inside), l1)
}

// SliceErrors are those of the slices only, of a release that may have nothing
// else.
func (w *Workload) SliceErrors(r *Release) ([]float64, error) {
	var out []float64
	for i, dims := range w.slices {
		answers, err := r.Slice(dims)
		if err != nil {
			return nil, err
		}
		counts := make([]float64, len(answers))
		for k, a := range answers {
			counts[k] = a.Count
		}
		out = append(out, meanAbs(counts, w.truth[i]))
	}
	return out, nil
}

// Means are the mean true counts: of a category of each slice, and of a box.
func (w *Workload) Means() []float64 {
	var out []float64
	for _, t := range append(w.truth, w.inside) {
		out = append(out, total(t)/float64(max(1, len(t))))
	}
	return out
}

func meanAbs(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += math.Abs(x[i] - y[i])
	}
	return sum / float64(max(1, len(x)))
}

// fine is into how many parts a count is cut for noise that is not yet rounded.
const fine = 1024

// CellBaseline adds noise to each cell, and gives the cells as they are and as the
// dissertation's baseline has them (5.3.3): rounded down, and cut off at 0.
func CellBaseline(ctx context.Context, c *Counts, e ledger.Micro, s noise.Source) (plain, clamped []float64, err error) {
	cells := c.project(c.Domain.all())
	for i := range cells {
		cells[i] *= fine
	}
	if err := noise.AddAll(ctx, s, cells, fine*c.Bound, e.Float()); err != nil {
		return nil, nil, err
	}
	plain, clamped = make([]float64, len(cells)), make([]float64, len(cells))
	for i, x := range cells {
		plain[i] = float64(x) / fine
		clamped[i] = max(0, math.Floor(plain[i]))
	}
	return plain, clamped, nil
}

// SliceOf sums an estimate of every cell over all but some dimensions.
func SliceOf(d Domain, dense []float64, dims []int) []float64 {
	whole := View{Dims: d.all(), Counts: dense}
	return whole.project(d, dims)
}
