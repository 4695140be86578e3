// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"cmp"
	"math"
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
