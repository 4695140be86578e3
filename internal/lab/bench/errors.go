// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"hide/internal/publish/ledger"
)

// methodErrors is one method at one epsilon: mean errors over the runs, by question,
// and half the width of their 95 % intervals.
type methodErrors struct {
	Epsilon ledger.Micro `json:"micro_epsilon"`
	Method  string       `json:"method"`
	Errors  []float64    `json:"errors"`
	Within  []float64    `json:"within"`
}

// newMethodErrors sums up the errors of all runs, each by question.
func newMethodErrors(e ledger.Micro, method string, runs [][]float64) methodErrors {
	b := methodErrors{Epsilon: e, Method: method}
	for q := range runs[0] {
		x := make([]float64, len(runs))
		for i := range runs {
			x[i] = runs[i][q]
		}
		mean, within := meanWithin(x)
		b.Errors, b.Within = append(b.Errors, mean), append(b.Within, within)
	}
	return b
}

// meanWithin is a mean and half its 95 % interval, by the normal distribution.
func meanWithin(x []float64) (mean, within float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	squares := 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	n := float64(len(x))
	return mean, 1.96 * math.Sqrt(squares/(n-1)/n)
}

// writeErrorTable writes a table with a column per question, means and errors with so
// many decimals.
func writeErrorTable(w io.Writer, questions []string, means []float64, meanDecimals int, rows []methodErrors, decimals int) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "epsilon\tmethod\t%s\n", strings.Join(questions, "\t"))
	fmt.Fprint(t, "\tmean true count")
	for _, x := range means {
		fmt.Fprintf(t, "\t%.*f", meanDecimals, x)
	}
	fmt.Fprintln(t)
	for _, r := range rows {
		fmt.Fprintf(t, "%v\t%s", r.Epsilon, r.Method)
		for i, x := range r.Errors {
			fmt.Fprintf(t, "\t%.*f ± %.*f", decimals, x, decimals, r.Within[i])
		}
		fmt.Fprintln(t)
	}
	t.Flush() // cannot fail but as w does
}
