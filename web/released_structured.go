// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"strings"

	"hide/internal/project/release"
	publishdp "hide/internal/publish/dp"
	"hide/internal/publish/joint"
	"hide/internal/publish/ledger"
	"hide/web/ui"
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

// jointWords: what of a release is left, in a sentence.
func jointWords(r release.JointRelease) string {
	how := "weight of the fields " + ui.TypedNumber(r.Choice.Lambda)
	if r.Choice.Strategy == joint.GDF {
		how = "most shared terms first"
	}
	return fmt.Sprintf("%s of %s with %s, at least %d patients alike (%s); %s of the fields and %s of the terms lost.",
		count(r.Report.Rows, "note", "notes"), count(r.Report.Persons, "patient", "patients"), count(len(r.Fields), "field", "fields"),
		r.Choice.K, how, formatPercent(r.Report.Loss.Relational), formatPercent(r.Report.Loss.Textual))
}

// errorWords: how far each dimension's counts are off, those of each length, or those
// of an answer.
func errorWords(r release.Release) string {
	all := r.Strong.Errors
	switch {
	case len(all) == 0:
		return ""
	case r.Kind == release.KindSequences:
		return fmt.Sprintf("±%s patients at each length", formatCount(all[0].Release)) // which share ε evenly
	case r.Strong.Asked != nil:
		return fmt.Sprintf("±%s patients, at most ±%s 95 times of 100", formatCount(all[0].Release), formatCount(r.Strong.Asked.Within))
	}
	var words []string
	for _, name := range r.Strong.Dimensions {
		for _, e := range all {
			switch e.Question { // those that no table has are not measured
			case publishdp.SliceOf(name):
				words = append(words, "±"+formatCount(e.Release)+" patients by "+name)
			case publishdp.SliceOf(name) + publishdp.NoiseAlone:
				words = append(words, fmt.Sprintf("±%s patients by %s from noise alone, up to ±%s if they are all in one category", formatCount(e.Release), name, formatCount(e.Baselines[publishdp.UniformMost])))
			}
		}
	}
	return strings.Join(words, ", ")
}

func epsilonWords(m ledger.Micro) string { return "ε " + m.String() }
