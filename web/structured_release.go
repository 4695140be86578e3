// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"

	"hide/internal/project"
)

// releaseKind names a kind of release.
func releaseKind(k project.ReleaseKind) string {
	switch k {
	case project.ReleaseTable:
		return "a table"
	case project.ReleaseCube:
		return "counts"
	}
	return "text"
}

// structuredWords: what a release holds, in a sentence.
func structuredWords(r project.Release) string {
	switch {
	case r.Table != nil:
		t := r.Table.Report
		return fmt.Sprintf("A table of %s, at least %d alike, with %s; %s lost.",
			count(t.After.Rows, "patient", "patients"), r.Table.Settings.K, count(len(r.Table.Columns), "attribute", "attributes"), formatPercent(t.Utility.NCP))
	case r.Cube != nil:
		return fmt.Sprintf("Counts of patients by %s, for %s; %s.", wordList(r.Cube.Dimensions), epsilonWords(r.Cube.Epsilon), errorWords(r))
	}
	return ""
}
