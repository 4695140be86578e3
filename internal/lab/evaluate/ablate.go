// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/lab"
)

// Ablation is the quality of a tagger with fewer feature families; the first row has all.
type Ablation struct {
	Preset     string        `json:"preset"`
	Unlabelled bool          `json:"unlabelled,omitempty"` // the learner predicts no labels: entity counts runs
	Rows       []ablationRow `json:"ablation"`
}

// ablationRow is one set of feature families and its scores by entity.
type ablationRow struct {
	Features []string          `json:"features"`
	Without  []string          `json:"without,omitempty"`
	Entity   score.Tally       `json:"entity"`
	F1Less   float64           `json:"f1_less"`           // F1 of the first row minus F1 of this one
	Against  *score.Difference `json:"against,omitempty"` // this row minus the first; nil in the first
	Holm     *float64          `json:"p_holm,omitempty"`  // p corrected for the number of rows
	Train    training          `json:"train"`
}

// Ablate evaluates subsets of the feature families of o, and compares each with all of
// them. For HIDE's four families it takes every subset (dissertation, section 4.4.5);
// otherwise it leaves out one at a time. run trains with the given options.
func Ablate(o crf.Options, preset string, s score.Options, run func(crf.Options) (*Predictions, error)) (Ablation, error) {
	result, whole := Ablation{Preset: preset}, o.Features
	var first *Predictions
	var p []float64
	for _, f := range ablations(whole) {
		o.Features = f
		found, err := run(o)
		if err != nil {
			return result, fmt.Errorf("with %s: %w", f, err)
		}
		row := ablationRow{Features: f.Names(), Without: (whole &^ f).Names(), Train: found.train}
		row.Entity = score.Of(found.docs, score.Options{}).Entity.Micro
		if first == nil {
			first = found
		} else {
			c := score.Compare(first.docs, found.docs, s)
			row.Against = cmp.Or(c.Entity, &c.Runs)
			row.F1Less = result.Rows[0].Entity.F1 - row.Entity.F1
			p = append(p, row.Against.P)
		}
		result.Rows = append(result.Rows, row)
	}
	for i, corrected := range score.Holm(p) {
		result.Rows[1+i].Holm = &corrected
	}
	result.Unlabelled = first.docs[0].Unlabelled
	return result, nil
}

// ablations lists the sets of families to compare, the full set first.
func ablations(whole crf.Families) []crf.Families {
	if whole&^crf.HIDE == 0 {
		return subsets(whole, whole&(crf.Regex|crf.Affix|crf.Context|crf.Dictionary))
	}
	list := []crf.Families{whole}
	for _, row := range crf.FamilyTable() {
		if whole&row.Families != 0 {
			list = append(list, whole&^row.Families)
		}
	}
	return list
}

// subsets lists the full set without each subset of some families.
func subsets(whole, some crf.Families) []crf.Families {
	var list []crf.Families
	for out := crf.Families(0); ; out = (out - some) & some {
		if whole&^out != 0 {
			list = append(list, whole&^out)
		}
		if out == some {
			return list
		}
	}
}

// Write prints an ablation as text.
func (a Ablation) Write(w io.Writer) {
	t := lab.Table(w)
	fmt.Fprint(t, "without\tprecision\trecall\tF1\tF1 more\t95 % interval\tp\tby Holm\tgroups differ\tright\tfalse alarms\tmissed\tseconds\t\n")
	for _, row := range a.Rows {
		m := row.Entity
		fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%.4f\t%s\t%d\t%d\t%d\t%.1f\t\n", cmp.Or(strings.Join(row.Without, ", "), "nothing"),
			m.Precision, m.Recall, m.F1, differenceCells(row.Against, row.Holm), m.TP, m.FP, m.FN, row.Train.Seconds)
	}
	_ = t.Flush() // a write error shows in the next write
	fmt.Fprintln(w)
	if a.Unlabelled {
		fmt.Fprintln(w, "the learner predicts no labels: figures count runs of neighbouring tokens")
	}
	fmt.Fprintln(w, exchangesAbout)
}
