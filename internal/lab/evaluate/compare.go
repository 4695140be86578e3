// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/crf/score"
	"hide/internal/lab"
)

// Variant is one way to train, and how it tags the notes to score.
type Variant struct {
	Name    string
	Predict func() (*Predictions, error)
}

// Comparison has the figures of several ways to train on the same notes, the first one as
// the reference.
type Comparison struct {
	Rows      []comparedRow `json:"comparison"`
	Resamples int           `json:"resamples"`
	Seed      uint64        `json:"seed"`
}

// comparedRow is one way to train.
type comparedRow struct {
	Name       string       `json:"name"`
	Unlabelled bool         `json:"unlabelled,omitempty"` // entity counts runs
	Entity     score.Tally  `json:"entity"`
	Runs       score.Tally  `json:"runs"`
	Binary     score.Tally  `json:"binary"`
	Accuracy   float64      `json:"accuracy"`
	Train      training     `json:"train"`
	Against    *differences `json:"against,omitempty"` // nil in the first row
}

// differences are those from the first row, with p corrected for the number of rows.
type differences struct {
	score.Comparison
	Holm struct {
		Entity *float64 `json:"entity,omitempty"`
		Runs   float64  `json:"runs"`
		Binary float64  `json:"binary"`
	} `json:"p_holm"`
}

// Compare evaluates variants and compares each with the first.
func Compare(variants []Variant, o score.Options) (Comparison, error) {
	out := Comparison{Resamples: o.Resamples, Seed: o.Seed}
	var first *Predictions
	for _, v := range variants {
		found, err := v.Predict()
		if err != nil {
			return out, fmt.Errorf("%s: %w", v.Name, err)
		}
		r := score.Of(found.docs, score.Options{})
		row := comparedRow{v.Name, r.Unlabelled, r.Entity.Micro, r.Masking.Runs, r.Binary, r.Tags.Accuracy.Share, found.train, nil}
		if first == nil {
			first = found
		} else {
			row.Against = &differences{Comparison: score.Compare(first.docs, found.docs, o)}
		}
		out.Rows = append(out.Rows, row)
	}
	out.correct()
	return out, nil
}

// correct fills in the p of Holm 1979 for each measure.
func (c *Comparison) correct() {
	var entities []*differences
	var entity, runs, binary []float64
	for _, row := range c.Rows[1:] {
		d := row.Against
		runs, binary = append(runs, d.Runs.P), append(binary, d.Binary.P)
		if d.Entity != nil {
			entities, entity = append(entities, d), append(entity, d.Entity.P)
		}
	}
	runs, binary, entity = score.Holm(runs), score.Holm(binary), score.Holm(entity)
	for i := range c.Rows[1:] {
		c.Rows[1+i].Against.Holm.Runs, c.Rows[1+i].Against.Holm.Binary = runs[i], binary[i]
	}
	for i, d := range entities {
		d.Holm.Entity = &entity[i]
	}
}

// comparedMeasure is one way of counting in a comparison.
type comparedMeasure struct {
	name  string
	tally func(comparedRow) score.Tally
	apart func(*differences) (*score.Difference, *float64) // with the corrected p
}

var comparedMeasures = []comparedMeasure{
	{spansCompared, func(r comparedRow) score.Tally { return r.Entity }, func(d *differences) (*score.Difference, *float64) { return d.Entity, d.Holm.Entity }},
	{"runs, any label", func(r comparedRow) score.Tally { return r.Runs }, func(d *differences) (*score.Difference, *float64) { return &d.Runs, &d.Holm.Runs }},
	{"tokens, any label", func(r comparedRow) score.Tally { return r.Binary }, func(d *differences) (*score.Difference, *float64) { return &d.Binary, &d.Holm.Binary }},
}

// spansCompared is the measure that learners without labels do not have.
const spansCompared = "spans"

// Write prints a comparison as text: a table for each measure.
func (c Comparison) Write(w io.Writer) {
	for _, m := range comparedMeasures {
		rows := slices.DeleteFunc(slices.Clone(c.Rows), func(r comparedRow) bool { return r.Unlabelled && m.name == spansCompared })
		if len(rows) == 0 {
			continue
		}
		t := lab.Table(w)
		fmt.Fprintf(t, "%s\tprecision\trecall\tF1\tF1 more\t95 %% interval\tp\tby Holm\tgroups differ\tseconds\t\n", m.name)
		for _, row := range rows {
			f, apart := m.tally(row), strings.Repeat("\t", 4)
			if row.Against != nil {
				apart = differenceCells(m.apart(row.Against))
			}
			fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%.4f\t%s\t%.1f\t\n", row.Name, f.Precision, f.Recall, f.F1, apart, row.Train.Seconds)
		}
		_ = t.Flush() // a write error shows in the next write
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, exchangesAbout)
	for _, row := range c.Rows {
		if trainedElsewhere(row.Name) {
			fmt.Fprintf(w, "%s %s\n", row.Name, elsewhereWarning)
		}
	}
}

// elsewhereWarning follows the name of a tagger that these notes may have trained.
const elsewhereWarning = "is not trained again: if it was trained on notes that are scored here, its figures mean nothing"

// trainedElsewhere reports whether the settings of a row name a tagger that is not trained here.
func trainedElsewhere(name string) bool {
	return slices.ContainsFunc(strings.Fields(name), func(setting string) bool {
		return strings.HasPrefix(setting, "model=") || lab.IsOutside(strings.TrimPrefix(setting, "learner="))
	})
}

// exchangesAbout explains the columns of p.
const exchangesAbout = "groups: patients, and notes without one; p: the share of exchanges of groups between two taggers that make F1 differ at least as much; by Holm: corrected for the number of rows"

// differenceCells are five cells, empty without a difference.
func differenceCells(d *score.Difference, corrected *float64) string {
	if d == nil {
		return strings.Repeat("\t", 4)
	}
	between := ""
	if d.Interval != nil {
		between = fmt.Sprintf("%+.4f to %+.4f", d.Interval.Low, d.Interval.High)
	}
	return fmt.Sprintf("%+.4f\t%s\t%s\t%s\t%d", d.F1, between, probability(d.P), probability(*corrected), d.Groups)
}

// probability shows as many digits as random exchanges give.
func probability(p float64) string {
	if p < 0.0001 {
		return "<.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
