// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"hide/internal/publish/mondrian"
	tables "hide/internal/publish/table"
	"hide/web"
)

// benchPrecision is the dissertation's Figure 5.1 on other ages: how well count
// queries do on a hundred ages, by what became of them. Released as they are, all
// are answered exactly.
type benchPrecision struct {
	Ages    int             `json:"ages"`
	Queries int             `json:"queries"`
	Full    float64         `json:"full"` // ages left out: each query returns all
	Points  []benchAnswered `json:"statistical"`
}

type benchAnswered struct {
	K         int     `json:"k"`
	Precision float64 `json:"precision"`
}

// Sizes of the study, as the dissertation has them.
const (
	studyAges    = 100
	studyQueries = 10000
)

// studyKs are the k that are drawn.
var studyKs = []int{2, 5, 10, 15, 20, 25, 30, 40, 50}

// benchQueries asks for ages that lie evenly in the table.
func benchQueries(ctx context.Context, t *tables.Table) (*benchPrecision, error) {
	age := *t.Column("age")
	rows := min(studyAges, t.Rows)
	codes := make([]int32, rows)
	for i := range codes {
		codes[i] = age.Codes[i*t.Rows/rows]
	}
	age.Codes = codes
	ages := &tables.Table{Rows: rows, Columns: []*tables.Column{&age}}
	b := &benchPrecision{Ages: rows, Queries: studyQueries}
	for _, k := range studyKs {
		if k > rows {
			break
		}
		classes, err := mondrian.Partition(ctx, ages, mondrian.Options{K: k})
		if err != nil {
			return nil, err
		}
		for _, p := range ages.QueryPrecision(classes, nil, studyQueries, 1) {
			b.Full = p.Without
			b.Points = append(b.Points, benchAnswered{k, p.Released})
		}
	}
	return b, nil
}

func (b *benchPrecision) write(w io.Writer) {
	fmt.Fprintf(w, "\nprecision of %d queries on %d ages: 100 %% as they are, %.1f %% when they are left out, and when generalized:\n", b.Queries, b.Ages, 100*b.Full)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, p := range b.Points {
		fmt.Fprintf(t, "k = %d\t%.1f %%\t\n", p.K, 100*p.Precision)
	}
	t.Flush() // cannot fail but as w does
}

// draw draws Figure 5.1.
func (b *benchPrecision) draw(w io.Writer) error {
	panel := web.LinesPanel{Title: "Precision of count queries on ages", XLabel: "k", YLabel: "precision"}
	partial, full, statistical := web.Line{Name: "partial"}, web.Line{Name: "full"}, web.Line{Name: "statistical"}
	for i, p := range b.Points {
		panel.Steps = append(panel.Steps, strconv.Itoa(p.K))
		x := float64(i)
		partial.Points = append(partial.Points, web.LinePoint{X: x, Y: 1})
		statistical.Points = append(statistical.Points, web.LinePoint{X: x, Y: p.Precision})
		full.Points = append(full.Points, web.LinePoint{X: x, Y: b.Full})
	}
	panel.Lines = []web.Line{partial, statistical, full}
	return web.WriteLines(w, "What de-identification leaves of count queries", []web.LinesPanel{panel})
}
