// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"io"
	"strings"

	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/lab"
)

// Ablation is how good a tagger is with fewer feature families; the first row has all.
type Ablation struct {
	Preset string        `json:"preset"`
	Rows   []ablationRow `json:"ablation"`
}

// ablationRow is one choice of feature families and how well it does, by entities.
type ablationRow struct {
	Features []string    `json:"features"`
	Without  []string    `json:"without,omitempty"`
	Entity   score.Tally `json:"entity"`
	F1Less   float64     `json:"f1_less"` // F1 of the first row minus this one's
	Train    training    `json:"train"`
}

// Ablate evaluates with fewer and fewer families of o: for HIDE's, every choice of the four
// (dissertation, section 4.4.5); for any other, all but one. run trains with given options.
func Ablate(o crf.Options, preset string, run func(crf.Options) (*Predictions, error)) (Ablation, error) {
	result, whole := Ablation{Preset: preset}, o.Features
	for _, f := range ablations(whole) {
		o.Features = f
		found, err := run(o)
		if err != nil {
			return result, fmt.Errorf("with %s: %w", f, err)
		}
		row := ablationRow{Features: f.Names(), Without: (whole &^ f).Names(), Train: found.train}
		row.Entity = score.Of(found.docs, score.Options{}).Entity.Micro
		if len(result.Rows) > 0 {
			row.F1Less = result.Rows[0].Entity.F1 - row.Entity.F1
		}
		result.Rows = append(result.Rows, row)
	}
	return result, nil
}

// ablations lists the choices of families to compare, the whole first.
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

// subsets takes every choice of some families away from the whole.
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

// Write prints an ablation for people.
func (a Ablation) Write(w io.Writer) {
	t := lab.Table(w)
	fmt.Fprint(t, "without\tprecision\trecall\tF1\tF1 less\tright\tfalse alarms\tmissed\tseconds\t\n")
	for _, row := range a.Rows {
		without := strings.Join(row.Without, ", ")
		if without == "" {
			without = "nothing"
		}
		m := row.Entity
		fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%.4f\t%+.4f\t%d\t%d\t%d\t%.1f\t\n", without, m.Precision, m.Recall, m.F1, -row.F1Less, m.TP, m.FP, m.FN, row.Train.Seconds)
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
}
