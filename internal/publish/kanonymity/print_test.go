// SPDX-License-Identifier: Apache-2.0

package kanonymity_test

import (
	"strings"
	"testing"

	"hide/internal/publish/incognito"
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/risk"
)

func TestPublishedTablesArePrinted(t *testing.T) {
	p := kanonymity.Published{Folder: "out", SHA256: "ab12", K: 5}
	p.Report.Before.Unique, p.Report.After.Rows, p.Report.After.Classes, p.Report.Utility.NCP = .25, 40, 8, .125
	p.Report.After.Prosecutor = risk.Attacker{Highest: .2}
	lines := []string{
		"out: 40 rows in 8 equivalence classes of at least 5, information loss (NCP) 12.50 %",
		"unique records: 25.00 % before, 0.00 % after; highest re-identification risk 20.00 %",
		"manifest.json ab12", "",
	}
	var out strings.Builder
	if p.Write(&out); out.String() != strings.Join(lines, "\n") {
		t.Error(out.String())
	}
}

// TestLatticesAreCutShort prints the first combinations of levels only.
func TestLatticesAreCutShort(t *testing.T) {
	l := &kanonymity.Lattice{Attributes: []string{"age"}, Nodes: 20, Holding: 14, Minimal: 2, Taken: []int{1}}
	for i := range 12 {
		l.Losses = append(l.Losses, incognito.Loss{Levels: []int{i}, Minimal: i > 0, NCP: float64(i) / 100, Suppressed: i})
	}
	var out strings.Builder
	l.Write(&out)
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 13 || !strings.HasPrefix(lines[0], "14 of 20 combinations of generalization levels satisfy the requirements, 2 of them are minimal") ||
		lines[1] != "  NCP   0.00 %, 0 rows suppressed  age=0  not minimal" || lines[2] != "  NCP   1.00 %, 1 rows suppressed  age=1  chosen" || lines[11] != "  and 2 more: --json lists them" {
		t.Error(out.String())
	}
	out.Reset()
	if (*kanonymity.Lattice)(nil).Write(&out); out.Len() > 0 {
		t.Error(out.String())
	}
}
