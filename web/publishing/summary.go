// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"fmt"
	"strings"

	"hide/internal/project/release"
	publishdp "hide/internal/publish/dp"
	"hide/internal/publish/joint"
	"hide/internal/publish/ledger"
	"hide/internal/words"
	"hide/web/ui"
)

// Summary: what a release holds, in a sentence.
func Summary(r release.Release) string {
	switch {
	case r.Table != nil:
		t := r.Table.Report
		return fmt.Sprintf("A table of %s, at least %d alike, with %s; %s lost.",
			ui.Count(t.After.Rows, "patient", "patients"), r.Table.Settings.K, ui.Count(len(r.Table.Columns), "attribute", "attributes"), words.Percent(t.Utility.NCP))
	case r.Joint != nil:
		return jointWords(*r.Joint)
	case r.Kind == release.KindSequences:
		return fmt.Sprintf("Sequences of %s, up to %d long, for %s.", ui.Listed(r.Strong.Dimensions), r.Strong.Height, EpsilonWords(r.Strong.Epsilon))
	case r.Strong != nil && r.Strong.Asked != nil:
		return fmt.Sprintf("An answer in %s, for %s; %s.", ui.Count(r.Strong.Asked.Groups, "count", "counts"), EpsilonWords(r.Strong.Epsilon), ErrorWords(r))
	case r.Strong != nil:
		return fmt.Sprintf("Counts of patients by %s, for %s; %s.", ui.Listed(r.Strong.Dimensions), EpsilonWords(r.Strong.Epsilon), ErrorWords(r))
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
		ui.Count(r.Report.Rows, "note", "notes"), ui.Count(r.Report.Persons, "patient", "patients"), ui.Count(len(r.Fields), "field", "fields"),
		r.Choice.K, how, words.Percent(r.Report.Loss.Relational), words.Percent(r.Report.Loss.Textual))
}

// ErrorWords: how far each dimension's counts are off, those of each length, or those
// of an answer.
func ErrorWords(r release.Release) string {
	all := r.Strong.Errors
	switch {
	case len(all) == 0:
		return ""
	case r.Kind == release.KindSequences:
		return fmt.Sprintf("±%s patients at each length", words.Amount(all[0].Release)) // which share ε evenly
	case r.Strong.Asked != nil:
		return fmt.Sprintf("±%s patients, at most ±%s 95 times of 100", words.Amount(all[0].Release), words.Amount(r.Strong.Asked.Within))
	}
	var said []string
	for _, name := range r.Strong.Dimensions {
		for _, e := range all {
			switch e.Question { // those that no table has are not measured
			case publishdp.SliceOf(name):
				said = append(said, "±"+words.Amount(e.Release)+" patients by "+name)
			case publishdp.SliceOf(name) + publishdp.NoiseAlone:
				said = append(said, fmt.Sprintf("±%s patients by %s from noise alone, up to ±%s if they are all in one category", words.Amount(e.Release), name, words.Amount(e.Baselines[publishdp.UniformMost])))
			}
		}
	}
	return strings.Join(said, ", ")
}

func EpsilonWords(m ledger.Micro) string { return "ε " + m.String() }
