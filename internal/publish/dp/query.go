// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"

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
