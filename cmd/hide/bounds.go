// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"hide/internal/greedy"
	"hide/internal/lab"
	"hide/internal/project"
)

// writeBounds prints what the theorems promise, where a dimension was stated: only
// who states one asks for them.
func writeBounds(w io.Writer, r *project.Run) {
	if r.Params.VC == 0 {
		return
	}
	fmt.Fprintf(w, "\nwith a dimension of %g; %s\n", r.Params.VC, lab.BoundsAbout)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range r.Choices {
		for _, b := range c.Bounds {
			cells := lab.BoundCells(b, r.Params.VC)
			fmt.Fprintf(t, "L/C %g\t%s\tat most %s\tobserved %s\t%s\t%s\n", c.LC, cells[0], cells[1], cells[2], cells[3], cells[4])
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
