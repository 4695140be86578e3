// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// Plan describes a release without the data.
type Plan struct {
	Bound   int64 // the sensitivity
	Epsilon ledger.Micro
	// Units is about how many units there are, from a public source; only its order
	// of magnitude matters. 0 is DefaultUnits.
	Units float64
	// Marginals are the tables that will be used; by default every dimension and every
	// pair of dimensions.
	Marginals [][]string
}

// DefaultUnits is the default number of units of a plan.
const DefaultUnits = 1000

// Choice is a method with the mean absolute error of a count of the tables of the plan.
type Choice struct {
	Method    Method     `json:"method"`
	Marginals [][]string `json:"marginals,omitempty"`
	Error     float64    `json:"expected_error"`
}

// Choices estimates the methods, best first, from public numbers alone, so that choosing by
// it costs nothing and reveals nothing. Single cells and named tables follow from the noise;
// for blocks see [Plan.blocks].
func (d Domain) Choices(p Plan) []Choice {
	tables := p.Marginals
	if len(tables) == 0 {
		tables = d.pairs()
	}
	cells := d.Cells()
	identity := 0.0
	for _, t := range tables {
		identity += sumOff(cells/d.cellsOf(t), p.Bound, p.Epsilon) / float64(len(tables))
	}
	var out []Choice
	if cells <= MostListed {
		out = append(out, Choice{Method: Identity, Error: identity})
	}
	if cells <= MostCells {
		out = append(out, Choice{Method: DPCube, Error: identity * p.blocks(cells)})
	}
	if named := d.named(tables); d.checkNamed(named, p) {
		out = append(out, Choice{Method: Marginals, Marginals: named, Error: d.namedError(tables, named, p)})
	}
	slices.SortStableFunc(out, func(a, b Choice) int { return cmp.Compare(a.Error, b.Error) })
	return out
}

// Uniform bounds the mean absolute error of one count of all rows, spread evenly, over the
// tables of the plan. It depends on how different the n categories are: at least the
// noise, b/n, and with all U rows in one category 2U(n-1)/n^2 more.
func (d Domain) Uniform(p Plan) (least, most float64) {
	tables := p.Marginals
	if len(tables) == 0 {
		tables = d.pairs()
	}
	units := cmp.Or(max(p.Units, 0), DefaultUnits)
	for _, t := range tables {
		n, of := d.cellsOf(t), float64(len(tables))
		least += noise.Scale(p.Bound, p.Epsilon.Float()) / n / of
		most += 2 * units * (n - 1) / (n * n) / of
	}
	return least, least + most
}

// MostListed is the largest number of single cells in a release.
const MostListed = 5_000_000

// blocks is about the ratio of the errors of DPCube and of sums of cells. It depends on the
// data. Over generated tables, uniform, skewed, clustered and correlated, of 12 to 166,000
// cells, it followed the number of cells per unit and epsilon,
//
//	x = cells / (units epsilon / bound),  ratio = 1.1 x^-0.45
//
// within a factor of three: blocks pay off when there are more cells than the counts can
// resolve.
func (p Plan) blocks(cells float64) float64 {
	units := p.Units
	if units <= 0 {
		units = DefaultUnits
	}
	return 1.1 * math.Pow(cells*float64(p.Bound)/(units*p.Epsilon.Float()), -0.45)
}

// pairs are the tables of each dimension and of each two.
func (d Domain) pairs() [][]string {
	var out [][]string
	for i := range d {
		out = append(out, []string{d[i].Name})
		for k := i + 1; k < len(d); k++ {
			out = append(out, []string{d[i].Name, d[k].Name})
		}
	}
	return out
}

// named are the tables that no other one contains.
func (d Domain) named(tables [][]string) [][]string {
	var out [][]string
	for i, t := range tables {
		if !slices.ContainsFunc(tables, func(other []string) bool {
			return len(other) > len(t) && contains(other, t)
		}) && !slices.ContainsFunc(tables[:i], func(other []string) bool { return len(other) == len(t) && contains(other, t) }) {
			out = append(out, t)
		}
	}
	return out
}

func contains(set, part []string) bool {
	return !slices.ContainsFunc(part, func(name string) bool { return !slices.Contains(set, name) })
}

// checkNamed reports why these tables cannot be published.
func (d Domain) checkNamed(named [][]string, p Plan) bool {
	return checkMarginals(d, named) == nil && p.Epsilon >= ledger.Micro(max(2, len(named)))
}

// namedError is the error of counting only the named tables, each with an equal share, and
// of summing the tables of the plan from the one with the fewest cells.
func (d Domain) namedError(tables, named [][]string, p Plan) float64 {
	sum := 0.0
	for _, t := range tables {
		least := math.Inf(1)
		for _, n := range named {
			if contains(n, t) {
				least = min(least, d.cellsOf(n)/d.cellsOf(t))
			}
		}
		sum += sumOff(least, p.Bound*int64(len(named)), p.Epsilon)
	}
	return sum / float64(len(tables))
}

// sumOff is the mean absolute error of the sum of n noisy counts.
func sumOff(n float64, sensitivity int64, e ledger.Micro) float64 {
	if n <= 1 {
		return noise.Scale(sensitivity, e.Float())
	}
	return noise.MeanAbs(n * noise.Variance(sensitivity, e.Float()))
}

// cellsOf is the number of cells of a table; unknown dimensions count as 1.
func (d Domain) cellsOf(names []string) float64 {
	n := 1.0
	for _, name := range names {
		if at := d.Find(name); at >= 0 {
			n *= float64(d[at].Size())
		}
	}
	return n
}

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
