// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Row is one row of a table: who it is about, and the values of the domain's
// dimensions, in their order.
type Row struct {
	Unit   string // "": each row is a unit of its own
	Values []string
	// In adds the place of the row to an error; nil numbers the rows.
	In func(error) error
}

// wrong adds the place of this row, the n-th, to an error.
func (r Row) wrong(n int, err error) error {
	if r.In != nil {
		return r.In(err)
	}
	return fmt.Errorf("row %d: %w", n, err)
}

// Counts is a table counted over a domain.
type Counts struct {
	Domain Domain
	// Bound is how many rows of one unit count at most: the sensitivity.
	Bound int64
	rows  [][]int32 // categories of each row that counts
	units map[string]int64
	// Dropped is how many rows exceeded the bound. It depends on the data: only the broker
	// may see it.
	Dropped int
}

// Count looks up every row's categories. Of the rows of one unit the first bound
// count. It refuses a row with a value that its dimension does not list, and a
// row without a unit when bound is above 0; a bound of 0 means that each row is a
// unit of its own.
func Count(rows iter.Seq2[Row, error], d Domain, bound int64) (*Counts, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if bound < 0 {
		return nil, fmt.Errorf("the bound of rows of one unit must be at least 1")
	}
	c := &Counts{Domain: d, Bound: max(1, bound), units: map[string]int64{}}
	lookup := d.lookups()
	n := 0
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		n++
		cats, err := d.categories(lookup, row.Values)
		if err != nil {
			return nil, row.wrong(n, err)
		}
		if bound > 0 {
			if row.Unit == "" {
				return nil, row.wrong(n, errors.New("it has no key"))
			}
			if c.units[row.Unit]++; c.units[row.Unit] > bound {
				c.Dropped++
				continue
			}
		}
		c.rows = append(c.rows, cats)
	}
	return c, nil
}

// Units are the units of the rows, in no order. It must not be published.
func (c *Counts) Units() iter.Seq[string] { return maps.Keys(c.units) }

// Rows is the number of counted rows. It must not be published.
func (c *Counts) Rows() int { return len(c.rows) }

func (d Domain) lookups() []map[string]int {
	out := make([]map[string]int, len(d))
	for i, dim := range d {
		out[i] = make(map[string]int, len(dim.Values))
		for k, v := range dim.Values {
			out[i][v] = k
		}
	}
	return out
}

// categories never repeats a value in its errors.
func (d Domain) categories(lookup []map[string]int, values []string) ([]int32, error) {
	if len(values) != len(d) {
		return nil, fmt.Errorf("has %d values for %d dimensions", len(values), len(d))
	}
	out := make([]int32, len(d))
	for i, dim := range d {
		at := dim.index(lookup[i], values[i])
		if at < 0 {
			return nil, fmt.Errorf("its value of %q is not in the domain: list it if the code book does, or add \"other\": true to the dimension", dim.Name)
		}
		out[i] = int32(at)
	}
	return out, nil
}

// Where keeps the rows for which every dimension of the box has one of its
// categories.
func (c *Counts) Where(b Box) int64 {
	n := int64(0)
	for _, row := range c.rows {
		if b.holds(row) {
			n++
		}
	}
	return n
}

// project counts the cells of some dimensions.
func (c *Counts) project(dims []int) []int64 {
	return c.Groups(dims, func([]int32) bool { return true })
}

// Groups counts the rows for which keep is true by the categories of some dimensions, the
// last one counting fastest. keep gets the categories of a row. It must not be published.
func (c *Counts) Groups(dims []int, keep func(row []int32) bool) []int64 {
	shape := make([]int, len(dims))
	for i, d := range dims {
		shape[i] = c.Domain[d].Size()
	}
	step := strides(shape)
	n := 1
	for _, s := range shape {
		n *= s
	}
	out := make([]int64, n)
	for _, row := range c.rows {
		if !keep(row) {
			continue
		}
		at := 0
		for i, d := range dims {
			at += int(row[d]) * step[i]
		}
		out[at]++
	}
	return out
}

// all is the numbers of all dimensions.
func (d Domain) all() []int {
	out := make([]int, len(d))
	for i := range out {
		out[i] = i
	}
	return out
}

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
