// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"

	"hide/internal/project/release"
)

// structuredWords: what a release holds, in a sentence.
func structuredWords(r release.Release) string {
	switch {
	case r.Table != nil:
		t := r.Table.Report
		return fmt.Sprintf("A table of %s, at least %d alike, with %s; %s lost.",
			count(t.After.Rows, "patient", "patients"), r.Table.Settings.K, count(len(r.Table.Columns), "attribute", "attributes"), formatPercent(t.Utility.NCP))
	case r.Joint != nil:
		return jointWords(*r.Joint)
	case r.Kind == release.KindSequences:
		return fmt.Sprintf("Sequences of %s, up to %d long, for %s.", listed(r.Strong.Dimensions), r.Strong.Height, epsilonWords(r.Strong.Epsilon))
	case r.Strong != nil && r.Strong.Asked != nil:
		return fmt.Sprintf("An answer in %s, for %s; %s.", count(r.Strong.Asked.Groups, "count", "counts"), epsilonWords(r.Strong.Epsilon), errorWords(r))
	case r.Strong != nil:
		return fmt.Sprintf("Counts of patients by %s, for %s; %s.", listed(r.Strong.Dimensions), epsilonWords(r.Strong.Epsilon), errorWords(r))
	}
	return ""
}
