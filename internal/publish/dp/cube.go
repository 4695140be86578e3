// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/release"
)

// Count reads a table as the configuration says.
func (c CubeConfig) Count(t Table) (*cube.Counts, error) {
	columns := make([]string, 0, len(c.Dimensions)+2)
	for _, d := range c.Dimensions {
		columns = append(columns, d.Name)
	}
	key, part := -1, -1
	if c.Key != "" {
		key, columns = len(columns), append(columns, c.Key)
	}
	if c.Part.Partition != "" {
		part, columns = len(columns), append(columns, c.Part.Partition)
	}
	records, err := t.rows(c.Common, columns)
	if err != nil {
		return nil, err
	}
	keep := func([]string) (bool, error) { return true, nil }
	if part >= 0 {
		keep = inPart(c.Part.Part, part, key)
	}
	rows := func(yield func(cube.Row, error) bool) {
		for row, err := range records {
			kept := true
			if err == nil {
				if kept, err = keep(row.values); err != nil {
					err = row.in(err)
				}
			}
			if err == nil && (!kept || c.LeaveOutNameless && row.values[key] == "") {
				continue
			}
			if !yield(c.row(row, key), err) || err != nil {
				return
			}
		}
	}
	counts, err := cube.Count(rows, c.Dimensions, c.Bound)
	if err == nil {
		counts.Bound = c.sensitivity()
	}
	return counts, err
}

// row is a record as a row of the cube; without values after an error.
func (c CubeConfig) row(r record, key int) cube.Row {
	if len(r.values) == 0 {
		return cube.Row{}
	}
	out := cube.Row{Values: r.values[:len(c.Dimensions)], In: r.in}
	if key >= 0 {
		out.Unit = r.values[key]
	}
	return out
}

// PublishCube publishes a table as a cube. It refuses everything that can be refused
// before it debits.
func PublishCube(ctx context.Context, l *ledger.Ledger, c CubeConfig, t Table, e ledger.Micro, m Meta) (Release, error) {
	if err := c.check(); err != nil {
		return Release{}, err
	}
	p, err := c.params(e).Check(c.Dimensions, c.sensitivity())
	if err != nil {
		return Release{}, err
	}
	if p.Method == cube.Identity && c.Dimensions.Cells() > cube.MostListed {
		return Release{}, fmt.Errorf("a release lists at most %d single cells: use the method %q", cube.MostListed, cube.DPCube)
	}
	if c.Synthetic && p.Method == cube.Marginals {
		return Release{}, fmt.Errorf("synthetic rows cannot be drawn from marginals: omit \"synthetic\"")
	}
	counts, err := c.Count(t)
	if err != nil {
		return Release{}, err
	}
	return publication{
		Common: c.Common, by: c.by(), units: counts.Units(), body: request{requestSchema, release.Cube, c, p},
		what: fmt.Sprintf("cube, %s, %s cells", p.Method, cellWords(c.Dimensions.Cells())),
		outline: func(receipt ledger.Receipt) (Release, error) {
			out, err := cubeOutline(p, c, receipt, m)
			out.Manifest.planSlices(c, p)
			return out, err
		},
		draw: func(ctx context.Context, receipt ledger.Receipt) (Release, error) {
			published, err := cube.Publish(ctx, counts, p, noise.Secure{})
			if err != nil {
				return Release{}, err
			}
			return cubeRelease(published, c, receipt, m)
		},
	}.publish(ctx, l, t, e, m)
}

// cellWords writes a number of cells, which may be huge.
func cellWords(n float64) string {
	if n < 1e15 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}

// cubeOutline is a release without its noisy counts.
func cubeOutline(p cube.Params, c CubeConfig, receipt ledger.Receipt, m Meta) (Release, error) {
	return newRelease(release.Cube, receipt, c.Common, c.sensitivity(), asked{Config: c, Params: p}, m)
}

func cubeRelease(r *cube.Release, c CubeConfig, receipt ledger.Receipt, m Meta) (Release, error) {
	out, err := cubeOutline(r.Params, c, receipt, m)
	if err != nil {
		return out, err
	}
	out.Manifest.Phases = r.Phases
	out.Manifest.addSlices(r, c)
	switch {
	case r.Cells != nil:
		out.add("cells.csv", cellsCSV(r))
	case r.Views != nil:
		for i, v := range r.Views {
			out.add(fmt.Sprintf("marginal-%d.csv", i+1), viewCSV(r.Domain, v))
		}
	default:
		out.add("blocks.csv", blocksCSV(r))
	}
	if c.Synthetic {
		raw, cut, err := syntheticCSV(r, mostSynthetic)
		if err != nil {
			return out, err
		}
		out.add("synthetic.csv", raw)
		out.Manifest.warnCutOff("synthetic.csv", cut)
	}
	return out, nil
}

// factor is e to the epsilon, in words.
func factor(e ledger.Micro) string {
	return strconv.FormatFloat(math.Exp(e.Float()), 'g', 3, 64)
}
