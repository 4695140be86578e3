// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hide/internal/publish/dp"
	"hide/internal/publish/ledger"
)

// answered is what hide query says.
type answered struct {
	Question string         `json:"question"`
	Columns  []string       `json:"columns"` // the last one is the count
	Rows     [][]string     `json:"rows"`
	Expected float64        `json:"expected_error"`
	Within   float64        `json:"within"` // so far off at most, 95 times of 100
	Replayed bool           `json:"replayed"`
	Trends   []dp.Trend     `json:"trends,omitempty"`
	Account  ledger.Account `json:"account"`
}

func runQuery(ctx context.Context, e *env, args []string) error {
	t := strongOptions("CSV file with a table.", folderHelp+" It gets a release of the answer; without it the answer is only printed.")
	v, rest, err := e.strongFlags(e.flags(), t, args, 1, "in", "config", "epsilon")
	if err != nil {
		return err
	}
	if v.project != "" {
		return v.publishProject(ctx, e, projectQuestion(rest[0]), writeProjectAnswer)
	}
	return v.publish(ctx, func(raw []byte) (string, strongPublisher, error) {
		c, err := dp.ParseCube(raw)
		return c.Lineage, func(ctx context.Context, l *ledger.Ledger, table []byte, eps ledger.Micro, m dp.Meta) (dp.Release, error) {
			return dp.AnswerQuery(ctx, l, c, rest[0], dp.CSV(table), eps, m)
		}, err
	}, func(l *ledger.Ledger, r dp.Release) error { return v.answer(ctx, e, l, r, rest[0]) })
}

func (v *strongFlags) answer(ctx context.Context, e *env, l *ledger.Ledger, r dp.Release, question string) error {
	if v.out != "" {
		if _, err := r.Write(ctx, v.out); err != nil {
			return withHint(err, "the answer is stored in the ledger: repeat the query, at no cost")
		}
	}
	counted, err := r.Answer()
	if err != nil {
		return err
	}
	a, err := l.Account(r.Manifest.Receipt.Lineage)
	if err != nil {
		return err
	}
	out := answered{question, counted.Columns, counted.Rows, r.Manifest.Errors[0].Release, r.Manifest.Errors[0].Baselines[dp.AtMost], r.Replayed, r.Manifest.Trends, a}
	return e.result(out, func(w io.Writer) { writeAnswer(w, out, r.Manifest.Warnings) })
}

// writeColumns writes rows below their names.
func writeColumns(w io.Writer, names []string, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{names}, rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush() // cannot fail but as w does
}

func writeAnswer(w io.Writer, a answered, warnings []string) {
	writeColumns(w, a.Columns, a.Rows)
	fmt.Fprintf(w, "mean absolute error of a count %.1f, upper bound (95 %%) %.1f\n", a.Expected, a.Within)
	writeTrends(w, a.Trends)
	for _, warning := range warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	if a.Replayed {
		fmt.Fprint(w, "answered before, at no cost; ")
	}
	fmt.Fprintf(w, "%s: %v of %v spent, %v left\n", a.Account.Lineage, a.Account.Spent, a.Account.Limit, a.Account.Left)
}
