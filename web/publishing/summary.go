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

// Summary describes the content of a release in a sentence; it is "" for text.
func Summary(r release.Release) string {
	switch {
	case r.Table != nil:
		t := r.Table.Report
		return fmt.Sprintf("A table of %s with %s, k = %d; information loss %s.",
			ui.Count(t.After.Rows, "patient", "patients"), ui.Count(len(r.Table.Columns), "attribute", "attributes"), r.Table.Settings.K, words.Percent(t.Utility.NCP))
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

// jointWords describes a release of notes with fields.
func jointWords(r release.JointRelease) string {
	how := "lambda " + ui.TypedNumber(r.Choice.Lambda)
	if r.Choice.Strategy == joint.GDF {
		how = "GDF (most shared terms first)"
	}
	return fmt.Sprintf("%s of %s with %s, k = %d, %s; information loss %s in the fields and %s in the terms.",
		ui.Count(r.Report.Rows, "note", "notes"), ui.Count(r.Report.Persons, "patient", "patients"), ui.Count(len(r.Fields), "field", "fields"),
		r.Choice.K, how, words.Percent(r.Report.Loss.Relational), words.Percent(r.Report.Loss.Textual))
}

// ErrorWords is the expected error of each dimension, of each length of sequences, or of
// an answer.
func ErrorWords(r release.Release) string {
	all := r.Strong.Errors
	switch {
	case len(all) == 0:
		return ""
	case r.Kind == release.KindSequences:
		return fmt.Sprintf("±%s patients at each length", words.Amount(all[0].Release)) // which share ε evenly
	case r.Strong.Asked != nil:
		return fmt.Sprintf("±%s patients, and at most ±%s in 95 of 100 cases", words.Amount(all[0].Release), words.Amount(r.Strong.Asked.Within))
	}
	var said []string
	for _, name := range r.Strong.Dimensions {
		for _, e := range all {
			switch e.Question { // other queries have no error of their own
			case publishdp.SliceOf(name):
				said = append(said, "±"+words.Amount(e.Release)+" patients by "+name)
			case publishdp.SliceOf(name) + publishdp.NoiseAlone:
				said = append(said, fmt.Sprintf("±%s patients by %s from noise alone, up to ±%s if all are in one category", words.Amount(e.Release), name, words.Amount(e.Baselines[publishdp.UniformMost])))
			}
		}
	}
	return strings.Join(said, ", ")
}

// EpsilonWords writes a privacy budget: "ε 0.5".
func EpsilonWords(m ledger.Micro) string { return "ε " + m.String() }

// HowWords say in one clause how a release of text was made: "by the policy safe-harbor 1 with
// redaction model 2 (L/C 10)".
func HowWords(r release.Release) string {
	model := ""
	if r.Bundle > 0 {
		model = fmt.Sprintf("with redaction model %d (L/C %s)", r.Bundle, ui.Ratio(r.LC))
	}
	if r.Policy == nil {
		return model
	}
	return strings.TrimSpace("by the policy " + r.Policy.ID() + " " + model)
}

// HiddenWords count the surrogates and shifted dates of a release; "" without any.
func HiddenWords(r release.Release) string {
	n := 0
	for _, count := range r.Hidden {
		n += count
	}
	if n == 0 {
		return ""
	}
	return ui.Count(n, "identifier became a surrogate or a shifted date.", "identifiers became surrogates or shifted dates.")
}
