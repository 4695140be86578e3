// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"

	"hide/internal/publish/weak"
)

// mostNodes is how many nodes are told on the terminal; --json has all.
const mostNodes = 10

// writeLattice lists the levels that there were to choose from.
func writeLattice(w io.Writer, l *weak.Lattice) {
	if l == nil {
		return
	}
	fmt.Fprintf(w, "%d of %d combinations of generalization levels satisfy the requirements, %d of them are minimal; to choose another: --levels\n", l.Holding, l.Nodes, l.Minimal)
	shown := l.Losses[:min(len(l.Losses), mostNodes)]
	for _, one := range shown {
		mark := ""
		if !one.Minimal {
			mark = "  not minimal"
		}
		if slices.Equal(one.Levels, l.Taken) {
			mark += "  chosen"
		}
		fmt.Fprintf(w, "  NCP %6.2f %%, %d rows suppressed  %s%s\n", 100*one.NCP, one.Suppressed, l.Named(one.Levels), mark)
	}
	if more := len(l.Losses) - len(shown); more > 0 {
		fmt.Fprintf(w, "  and %d more: --json lists them\n", more)
	}
}
