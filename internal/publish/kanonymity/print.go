// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"fmt"
	"io"
	"slices"
)

// Published is a table that was released as a folder.
type Published struct {
	Folder string `json:"folder"`
	SHA256 string `json:"manifest_sha256"`
	K      int    `json:"k"`
	Report Report `json:"report"`
}

// Write prints the figures of the release.
func (p Published) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d rows in %d equivalence classes of at least %d, information loss (NCP) %.2f %%\n",
		p.Folder, p.Report.After.Rows, p.Report.After.Classes, p.K, 100*p.Report.Utility.NCP)
	fmt.Fprintf(w, "unique records: %.2f %% before, %.2f %% after; highest re-identification risk %.2f %%\n",
		100*p.Report.Before.Unique, 100*p.Report.After.Unique, 100*p.Report.After.Prosecutor.Highest)
	if j := p.Report.After.Journalist; j != nil {
		fmt.Fprintf(w, "in the population of %d people: highest re-identification risk %.2f %% before, %.2f %% after\n",
			p.Report.Population.People, 100*p.Report.Before.Journalist.Highest, 100*j.Highest)
	}
	p.Report.Lattice.Write(w)
	if u := p.Report.Estimated; u != nil {
		fmt.Fprintf(w, "unique records among %d people, estimated: %.2f %% before, %.2f %% after\n", u.Before.People, 100*u.Before.Unique, 100*u.After.Unique)
	}
	fmt.Fprintf(w, "manifest.json %s\n", p.SHA256)
}

// mostNodes is how many nodes are printed; --json has all.
const mostNodes = 10

// Write lists the possible levels. A nil lattice writes nothing.
func (l *Lattice) Write(w io.Writer) {
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
