// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/publish/noise"
)

// Box asks for the rows whose category in dimension d is one of Box[d], for every
// d. A nil set is all of them.
type Box [][]int

func (b Box) holds(row []int32) bool {
	for d, set := range b {
		if set != nil && !slices.Contains(set, int(row[d])) {
			return false
		}
	}
	return true
}

// check refuses unknown categories, and one that is listed twice.
func (b Box) check(d Domain) error {
	if len(b) != len(d) {
		return fmt.Errorf("a box over %d dimensions for a cube of %d", len(b), len(d))
	}
	for i, set := range b {
		sorted := slices.Sorted(slices.Values(set))
		for k, c := range sorted {
			if c < 0 || c >= d[i].Size() || k > 0 && sorted[k-1] == c {
				return fmt.Errorf("category %d of %q does not exist, or is named twice", c, d[i].Name)
			}
		}
	}
	return nil
}

// Answer is an estimate with what is known of its error.
type Answer struct {
	Count float64 `json:"count"`
	SD    float64 `json:"sd"`             // of the noise in it
	Alike float64 `json:"alike"`          // standard deviation from assuming that the cells of a block are equal
	Error float64 `json:"expected_error"` // mean absolute error expected of both
}

func newAnswer(count, noiseVar, alikeVar float64) Answer {
	return Answer{count, math.Sqrt(noiseVar), math.Sqrt(alikeVar), noise.MeanAbs(noiseVar + alikeVar)}
}

// ErrNotMeasured is returned for a query that no published marginal answers.
var ErrNotMeasured = errors.New("no published marginal has all dimensions of this query")

// Answer estimates the number of rows in a box, from the release alone.
func (r *Release) Answer(b Box) (Answer, error) {
	if err := b.check(r.Domain); err != nil {
		return Answer{}, err
	}
	switch {
	case r.Views != nil:
		return r.answerViews(b)
	case r.Cells != nil:
		return r.answerCells(b), nil
	}
	return r.answerBlocks(b), nil
}

// member counts, for each dimension, the categories of the query cumulatively: within
// [lo, hi) there are m[hi]-m[lo].
func member(b Box, shape []int) [][]int {
	out := make([][]int, len(shape))
	for d, n := range shape {
		m := make([]int, n+1)
		for i := range n {
			m[i+1] = m[i]
			if b[d] == nil || slices.Contains(b[d], i) {
				m[i+1]++
			}
		}
		out[d] = m
	}
	return out
}

// answerBlocks takes from each block the share of its cells in the query. The sum of m of
// its v cells, if they were a random sample, would have the variance
// spread * m * (1 - m/v).
func (r *Release) answerBlocks(b Box) Answer {
	in := member(b, r.Domain.shape())
	var count, noiseVar, alike float64
	for _, k := range r.Blocks {
		v, m := 1.0, 1.0
		for d := range in {
			v *= float64(k.High[d] - k.Low[d])
			m *= float64(in[d][k.High[d]] - in[d][k.Low[d]])
		}
		if m == 0 {
			continue
		}
		share := m / v
		count += k.Count * share
		noiseVar += k.SD * k.SD * share * share
		alike += k.Spread * m * (1 - share)
	}
	return newAnswer(count, noiseVar, alike)
}

func (r *Release) answerCells(b Box) Answer {
	shape := r.Domain.shape()
	count, n := sumBox(r.Cells, shape, b)
	return newAnswer(count, float64(n)*r.SD*r.SD, 0)
}

// sumBox adds up the cells of a box.
func sumBox[T int64 | float64](cells []T, shape []int, b Box) (sum float64, n int) {
	step := strides(shape)
	sets := make([][]int, len(shape))
	for d, size := range shape {
		sets[d] = b[d]
		if sets[d] == nil {
			for i := range size {
				sets[d] = append(sets[d], i)
			}
		}
	}
	var walk func(d, at int)
	walk = func(d, at int) {
		if d == len(shape) {
			sum += float64(cells[at])
			n++
			return
		}
		for _, i := range sets[d] {
			walk(d+1, at+i*step[d])
		}
	}
	walk(0, 0)
	return sum, n
}

// Slice is a marginal over some dimensions, the last one counting fastest.
func (r *Release) Slice(dims []int) ([]Answer, error) {
	n := 1
	for i, d := range dims {
		if d < 0 || d >= len(r.Domain) || slices.Index(dims, d) != i {
			return nil, errors.New("a slice needs dimensions of the cube, each once")
		}
		n *= r.Domain[d].Size()
	}
	switch {
	case r.Views != nil:
		return r.sliceViews(dims, n)
	case r.Cells != nil:
		return r.sliceCells(dims, n), nil
	}
	return r.sliceBlocks(dims, n), nil
}

// sliceViews adds up the marginal with the least noise in its answers, once.
func (r *Release) sliceViews(dims []int, n int) ([]Answer, error) {
	var best *View
	least := math.Inf(1)
	for i := range r.Views {
		v := &r.Views[i]
		if !subset(dims, v.Dims) {
			continue
		}
		if variance := float64(len(v.Counts)/n) * v.SD * v.SD; best == nil || variance < least {
			best, least = v, variance
		}
	}
	if best == nil {
		return nil, ErrNotMeasured
	}
	out := make([]Answer, n)
	for at, count := range best.project(r.Domain, dims) {
		out[at] = newAnswer(count, least, 0)
	}
	return out, nil
}

// steps are how far apart categories of each dimension are in a slice, 0 for those
// that it adds up.
func (r *Release) steps(dims []int) []int {
	steps, n := make([]int, len(r.Domain)), 1
	for _, d := range slices.Backward(dims) {
		steps[d] = n
		n *= r.Domain[d].Size()
	}
	return steps
}

// sliceCells adds every cell to its count, once.
func (r *Release) sliceCells(dims []int, n int) []Answer {
	shape, steps := r.Domain.shape(), r.steps(dims)
	counts := make([]float64, n)
	for cell, c := range r.Cells {
		at := 0
		for d, size := range slices.Backward(shape) {
			at += cell % size * steps[d]
			cell /= size
		}
		counts[at] += float64(c)
	}
	each := float64(len(r.Cells) / n)
	out := make([]Answer, n)
	for i, count := range counts {
		out[i] = newAnswer(count, each*r.SD*r.SD, 0)
	}
	return out
}

// sliceBlocks adds to each count that a block reaches the share of the block that
// is there, as [Release.answerBlocks] does for one.
func (r *Release) sliceBlocks(dims []int, n int) []Answer {
	steps := r.steps(dims)
	type sums struct{ count, noise, alike float64 }
	all := make([]sums, n)
	for _, k := range r.Blocks {
		v, m, reached := 1.0, 1.0, []int{0}
		for d, step := range steps {
			v *= float64(k.High[d] - k.Low[d])
			if step == 0 {
				m *= float64(k.High[d] - k.Low[d])
				continue
			}
			next := make([]int, 0, len(reached)*(k.High[d]-k.Low[d]))
			for _, at := range reached {
				for i := k.Low[d]; i < k.High[d]; i++ {
					next = append(next, at+i*step)
				}
			}
			reached = next
		}
		share := m / v
		for _, at := range reached {
			all[at].count += k.Count * share
			all[at].noise += k.SD * k.SD * share * share
			all[at].alike += k.Spread * m * (1 - share)
		}
	}
	out := make([]Answer, n)
	for i, s := range all {
		out[i] = newAnswer(s.count, s.noise, s.alike)
	}
	return out
}

// Dense is the estimate of every cell, the last dimension counting fastest.
func (r *Release) Dense() ([]float64, error) {
	if r.Views != nil {
		return nil, ErrNotMeasured
	}
	if err := r.Domain.fits(); err != nil {
		return nil, err
	}
	out := make([]float64, int(r.Domain.Cells()))
	for i, c := range r.Cells {
		out[i] = float64(c)
	}
	step := strides(r.Domain.shape())
	last := len(r.Domain) - 1
	for _, k := range r.Blocks {
		b := k.block()
		mean := k.Count / float64(b.volume())
		for run := range b.runs(step) {
			for i := range b.hi[last] - b.lo[last] {
				out[run.at+i] = mean
			}
		}
	}
	return out, nil
}
