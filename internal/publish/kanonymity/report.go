// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"hide/internal/publish/risk"
	"hide/internal/publish/table"
)

// queries is the number of random count queries, as in the dissertation's study.
const queries = 10000

// Report is the risk and the utility of a table before and after generalization.
type Report struct {
	Before  risk.Figures `json:"risk_before"`
	After   risk.Figures `json:"risk_after"`
	Utility Utility      `json:"utility"`
	// Lattice is nil unless whole attributes were generalized.
	Lattice *Lattice `json:"lattice,omitempty"`
	// Population is nil when no population was given.
	Population *Population `json:"population,omitempty"`
	// Estimated are estimates for a population of which only the size is known.
	Estimated *Estimated `json:"population_unique,omitempty"`
}

// Population is the population from which the rows are.
type Population struct {
	People int `json:"people"`
	Beyond int `json:"beyond"` // rows without a person of the population who has the same quasi-identifiers
}

// Estimated are estimates of the unique records in the population, by the original and by
// the released values.
type Estimated struct {
	Before risk.Uniqueness `json:"before"`
	After  risk.Uniqueness `json:"after"`
}

// Utility measures the remaining utility. Losses are shares, 0 for no loss.
type Utility struct {
	NCP            float64           `json:"ncp"`
	Attributes     []AttributeLoss   `json:"attributes"`
	Discernibility float64           `json:"discernibility"` // sum of the squares of the class sizes, plus all rows for each suppressed one
	MeanClass      float64           `json:"mean_class"`
	LargestClass   int               `json:"largest_class"`
	Suppressed     int               `json:"suppressed"`      // their information loss is 1
	Precision      []table.Precision `json:"query_precision"` // none with a sample
}

// AttributeLoss is the NCP of one quasi-identifier.
type AttributeLoss struct {
	Name string  `json:"name"`
	NCP  float64 `json:"ncp"`
}

// Report measures a result. A class is all rows that are released with equal
// quasi-identifiers. It fails only when ctx has ended.
func (r *Result) Report(ctx context.Context) (rep Report, err error) {
	raw, rawPeople, err := r.rawSizes(ctx)
	if err != nil {
		return rep, err
	}
	after, people, err := r.sizes(ctx)
	if err != nil {
		return rep, err
	}
	rep = Report{Before: figures(raw, rawPeople), After: figures(after, people), Utility: r.utility(after), Lattice: r.Lattice, Estimated: r.estimated}
	if r.population != nil {
		rep.Population = &Population{r.population.Rows - r.population.Beyond, r.population.Beyond}
	}
	if !r.Parameters.Map {
		rep.Utility.Precision, err = r.Table.QueryPrecision(ctx, r.Classes, r.Parameters.Levels, queries, 1)
	}
	return rep, err
}

// utility is the utility without the precision of queries.
func (r *Result) utility(sizes []int) Utility {
	u := Utility{Attributes: r.losses(), Suppressed: len(r.Suppressed), LargestClass: slices.Max(append(sizes, 0)), Precision: []table.Precision{}}
	for _, a := range u.Attributes {
		u.NCP += a.NCP / float64(len(u.Attributes))
	}
	for _, n := range sizes {
		u.Discernibility += float64(n) * float64(n)
	}
	u.Discernibility += float64(len(r.Suppressed)) * float64(r.rows()+len(r.Suppressed))
	if len(sizes) > 0 {
		u.MeanClass = float64(r.rows()) / float64(len(sizes))
	}
	return u
}

// estimate estimates the unique records in a population of this size.
func (r *Result) estimate(ctx context.Context, people int) error {
	raw, _, err := r.rawSizes(ctx)
	if err != nil {
		return err
	}
	after, _, err := r.sizes(ctx)
	if err != nil {
		return err
	}
	r.estimated = &Estimated{}
	if r.estimated.Before, err = risk.Estimate(raw, people); err != nil {
		return err
	}
	r.estimated.After, err = risk.Estimate(after, people)
	return err
}

// losses is the mean over all rows of each attribute's loss.
func (r *Result) losses() []AttributeLoss {
	all := make([]AttributeLoss, len(r.Generalized.Columns))
	for j, c := range r.Generalized.Columns {
		sum := float64(len(r.Suppressed))
		for i, class := range r.Classes {
			sum += float64(len(class)) * r.Generalized.Cells[i][j].Loss
		}
		all[j] = AttributeLoss{c.Name, sum / float64(r.rows()+len(r.Suppressed))}
	}
	return all
}

// figures are those of the population where it is known.
func figures(sizes, people []int) risk.Figures {
	if people == nil {
		return risk.Sample(sizes, risk.Threshold)
	}
	return risk.Population(sizes, people, risk.Threshold)
}

// rows is how many are released.
func (r *Result) rows() int {
	n := 0
	for _, class := range r.Classes {
		n += len(class)
	}
	return n
}

// sizes counts the rows with equal released values, in the order of classes, and the people
// of the population with these values, nil without a population. Classes with equal
// values mean the same people. When k counts people, each class has its own: those of the
// population, or its rows where these are more.
func (r *Result) sizes(ctx context.Context) (sizes, people []int, err error) {
	place := map[string]int{}
	for i, class := range r.Classes {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		var key strings.Builder
		for _, cell := range r.Generalized.Cells[i] {
			key.WriteString(cell.Text)
			key.WriteByte(0)
		}
		at, known := place[key.String()]
		if !known {
			at = len(sizes)
			place[key.String()] = at
			sizes = append(sizes, 0)
			if r.people != nil {
				people = append(people, 0)
			}
		}
		sizes[at] += len(class)
		switch {
		case r.Parameters.Map:
			people[at] += r.people[i]
		case r.people != nil:
			people[at] = r.people[i]
		}
	}
	for at := range people {
		people[at] = max(people[at], sizes[at])
	}
	return sizes, people, nil
}

// rawSizes counts the rows to release that agree in all original quasi-identifiers, and the
// people who do.
func (r *Result) rawSizes(ctx context.Context) (sizes, people []int, err error) {
	all := r.Table
	if r.population != nil {
		all = r.population
	}
	columns := all.With(table.Quasi)
	type count struct{ rows, people int }
	counts := map[string]count{}
	key := make([]byte, 0, 4*len(columns))
	for row := range all.Rows {
		if row%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		key = key[:0]
		for _, c := range columns {
			key = binary.LittleEndian.AppendUint32(key, uint32(c.Codes[row]))
		}
		n := counts[string(key)]
		n.people++
		if all.Sample == 0 || row < all.Sample {
			n.rows++
		}
		counts[string(key)] = n
	}
	for _, n := range slices.SortedFunc(maps.Values(counts), func(a, b count) int { return cmp.Or(a.rows-b.rows, a.people-b.people) }) {
		if n.rows > 0 {
			sizes = append(sizes, n.rows)
			if r.population != nil {
				people = append(people, n.people)
			}
		}
	}
	return sizes, people, nil
}
