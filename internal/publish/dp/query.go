// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strconv"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/query"
	"hide/internal/publish/release"
	"hide/internal/words"
)

// AnswerQuery answers one query about a table. The configuration is that of a cube, whose
// method does not matter. It refuses everything that can be refused before it debits.
func AnswerQuery(ctx context.Context, l *ledger.Ledger, c CubeConfig, text string, t Table, e ledger.Micro, m Meta) (Release, error) {
	if err := c.check(); err != nil {
		return Release{}, err
	}
	q, err := query.Parse(text, c.Dimensions)
	if err != nil {
		return Release{}, fmt.Errorf("the query, %w", err)
	}
	if err := q.Check(); err != nil {
		return Release{}, err
	}
	counts, err := c.Count(t)
	if err != nil {
		return Release{}, err
	}
	return publication{
		Common: c.Common, by: c.by(), units: counts.Units(), body: request{requestSchema, release.Query, c, q.String()},
		what: "query, " + words.Count(len(q.Groups), "column", "columns") + " grouped",
		outline: func(receipt ledger.Receipt) (Release, error) {
			planned := q.Plan(c.sensitivity(), e)
			out, err := queryOutline(planned, c, text, receipt, m)
			planned.Counts = make([]int64, planned.Phase.Counts)
			out.Manifest.Trends = answerTrends(q, planned)
			return out, err
		},
		draw: func(ctx context.Context, receipt ledger.Receipt) (Release, error) {
			a, err := q.Answer(ctx, counts, e, noise.Secure{})
			if err != nil {
				return Release{}, err
			}
			return queryRelease(q, a, c, text, receipt, m)
		},
	}.publish(ctx, l, t, e, m)
}

// queryOutline is a release without its noisy counts.
func queryOutline(a query.Answer, c CubeConfig, text string, receipt ledger.Receipt, m Meta) (Release, error) {
	out, err := newRelease(release.Query, receipt, c.Common, c.sensitivity(), asked{Config: c, Question: text}, m)
	out.Manifest.Phases = append(out.Manifest.Phases, a.Phase)
	out.Manifest.Errors = append(out.Manifest.Errors, ExpectedError{Question: "each count", Release: a.Phase.Scale, Baselines: map[string]float64{AtMost: a.Within}})
	return out, err
}

// AtMost is the name, among the baselines of an expected error, of the bound that the error
// of a count does not exceed with a probability of 95 %.
const AtMost = "at most, 95 times of 100"

func queryRelease(q *query.Query, a query.Answer, c CubeConfig, text string, receipt ledger.Receipt, m Meta) (Release, error) {
	out, err := queryOutline(a, c, text, receipt, m)
	if err != nil {
		return out, err
	}
	out.Manifest.Trends = answerTrends(q, a)
	var header []string
	for _, d := range q.Groups {
		header = append(header, c.Dimensions[d].Name)
	}
	out.add("answer.csv", writeCSV(append(header, "count"), func(add func(...string)) {
		for at, n := range a.Counts {
			add(append(q.Labels(at), strconv.FormatInt(n, 10))...)
		}
	}))
	return out, nil
}

// Counted is the answer to a query: a count for each group.
type Counted struct {
	Columns []string   // the grouped dimensions, and the count
	Rows    [][]string // a group each
}

// Answer is the answer in a release of kind query. The ledger keeps it as a file, so that
// a query that was answered before has the same answer.
func (r Release) Answer() (Counted, error) {
	rows, err := csv.NewReader(bytes.NewReader(r.File("answer.csv"))).ReadAll()
	if err == nil && len(rows) == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return Counted{}, fmt.Errorf("the stored answer cannot be read: %w", err)
	}
	return Counted{rows[0], rows[1:]}, nil
}

// File is one of the release's files, nil when there is none of this name.
func (r Release) File(name string) []byte {
	for _, f := range r.files {
		if f.Name == name {
			return f.Content
		}
	}
	return nil
}

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
