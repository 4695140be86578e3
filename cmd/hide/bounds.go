// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

// boundHead are the columns of a table of bounds after what they are of, and
// boundCells what one has in them.
var boundHead = []string{"theorem", "at most", "got", "what that says", "with"}

func boundCells(b greedy.Bound, vc float64) []string {
	return []string{b.Theorem, chart.BoundNumber(b.Value), chart.BoundNumber(b.Observed), chart.BoundWords(b, vc), chart.BoundConstants(b)}
}

const boundsAbout = "theorems 3 and 5: sensitive tokens that the papers' attacker finds; 4 and 6: how many times as many as by reading at random; p, q, r, s and lambda: what lemma 4 and theorems 5 and 6 are made of, estimated"

// writeBounds prints what the theorems promise, where a dimension was stated: only
// who states one asks for them.
func writeBounds(w io.Writer, r *sanitize.Run) {
	if r.Params.VC == 0 {
		return
	}
	fmt.Fprintf(w, "\nwith a dimension of %g; %s\n", r.Params.VC, boundsAbout)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range r.Choices {
		for _, b := range c.Bounds {
			cells := boundCells(b, r.Params.VC)
			fmt.Fprintf(t, "L/C %g\t%s\tat most %s\tgot %s\t%s\t%s\n", c.LC, cells[0], cells[1], cells[2], cells[3], cells[4])
		}
	}
	t.Flush()
}

// writeContext says how many words give identifiers away.
func writeContext(w io.Writer, c *greedy.Context, found int) {
	if c == nil {
		return
	}
	what := "listed on the page of the run, and with --json --passages"
	if c.Redact {
		what = "counted as sensitive, with the label " + string(greedy.ContextLabel)
	}
	fmt.Fprintf(w, "%d pairs of an identifier and a word that gives it away: %s\n", found, what)
}

// writeBounds prints the bounds of each result, likewise.
func (r experimentJSON) writeBounds(w io.Writer) {
	if r.VC == 0 {
		return
	}
	fmt.Fprintf(w, "\nwith a dimension of %g; %s\n", r.VC, boundsAbout)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range r.boundRows() {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
}

// boundRows is a line for each theorem of each result.
func (r experimentJSON) boundRows() [][]string {
	var out [][]string
	for _, row := range r.Results {
		for _, b := range row.Bounds {
			out = append(out, append([]string{fmt.Sprintf("%s, %s, %g", row.Mode, row.Learner, row.LC)}, boundCells(b, r.VC)...))
		}
	}
	return out
}

// boundsSection is the same for the page.
func (r experimentJSON) boundsSection() chart.Section {
	return chart.Section{
		Title: "What the theorems promise (section 4)", About: "T" + boundsAbout[1:] + ".",
		Tables: []chart.Table{{Caption: "Bounds", Head: append([]string{"mode, learner, L/C"}, boundHead...), Rows: r.boundRows()}},
	}
}

func (r experimentRow) csvBounds(base csvLine) []csvLine {
	var lines []csvLine
	for _, b := range r.Bounds {
		lines = append(lines, base.with(b.Theorem+" at most", b.Value), base.with(b.Theorem+" got", b.Observed))
		if c := b.Constants; c != nil {
			lines = append(lines, base.with(b.Theorem+" p", c.P), base.with(b.Theorem+" q", c.Q), base.with(b.Theorem+" r", c.R),
				base.with(b.Theorem+" s", c.S), base.with(b.Theorem+" lambda", c.Lambda), base.with(b.Theorem+" lemma 4", c.ErrorRatio))
		}
	}
	return lines
}
