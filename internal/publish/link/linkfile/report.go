// SPDX-License-Identifier: Apache-2.0

package linkfile

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
	"hide/internal/publish/link/score"
	"hide/internal/tabular"
	"hide/internal/words"
)

// Report describes the linked records. It holds names of columns and no values.
type Report struct {
	Files     []string `json:"files"`
	Records   int      `json:"records"`
	*Accuracy          // nil without a truth
	Pairs     int64    `json:"pairs"`    // of records in one cluster; of two files, one record from each
	Clusters  int      `json:"clusters"` // of two records or more
	People    int      `json:"people"`   // clusters, and records in none
	Compared  int      `json:"compared"` // pairs that the rules gave
	Seconds   float64  `json:"seconds"`
	PeakMiB   float64  `json:"peak_mib"`

	Warnings []string         `json:"warnings,omitempty"`
	Columns  []Column         `json:"columns"`
	Rules    []RuleReport     `json:"rules"`
	Model    ModelReport      `json:"model"`
	Estimate EstimateReport   `json:"estimate"`
	Errors   *ErrorReport     `json:"errors,omitempty"`  // nil without a truth
	Bridges  int              `json:"bridges"`           // links that hold a cluster together on their own
	Splits   int              `json:"splits"`            // links that were refused, because the records do not fit together
	Review   int              `json:"review"`            // pairs below the threshold that a person should see
	Prefixed tabular.Prefixed `json:"prefixed,omitzero"` // cells of the written file that were made safe
}

// Accuracy compares all pairs of records with the truth, also pairs that no rule compared.
type Accuracy struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// ErrorReport counts pairs of records by the truth.
type ErrorReport struct {
	True        int64       `json:"true_pairs"`
	False       int64       `json:"false_links"`
	Missed      int64       `json:"missed"`
	Calibration []score.Bin `json:"calibration"` // of the probabilities that were kept
}

// RuleReport is a rule and its pairs.
type RuleReport struct {
	Rule    string `json:"rule"`
	Pairs   int    `json:"pairs"`
	Only    int    `json:"only"`    // pairs of no other rule
	Blocks  int    `json:"blocks"`  // of two records or more
	Largest int    `json:"largest"` // records of a block
	Refined int    `json:"refined"` // blocks that were too large, and were split by further fields
	Cut     int    `json:"cut"`     // blocks of which not all pairs were compared
}

// ModelReport is the estimated model.
type ModelReport struct {
	Prior   float64       `json:"prior"`
	Matches float64       `json:"matches"`
	Rounds  int           `json:"rounds"`
	Fields  []FieldReport `json:"fields"`
}

// FieldReport are the levels of agreement of a field.
type FieldReport struct {
	Field  string        `json:"field"`
	Kind   string        `json:"kind"`
	Filled float64       `json:"filled"`
	Levels []LevelReport `json:"levels"`
}

// LevelReport is a level: its probability among pairs of one person and of two, and the
// weight log2(m/u) in bits.
type LevelReport struct {
	Level  string  `json:"level"`
	M      float64 `json:"m"`
	U      float64 `json:"u"`
	Weight float64 `json:"weight"`
}

// EstimateReport estimates the errors from the probabilities, without a truth.
type EstimateReport struct {
	Precision  float64           `json:"precision"`
	Recall     float64           `json:"recall"`
	FalseLinks float64           `json:"false_links"`
	Missed     float64           `json:"missed"`
	Thresholds []ThresholdReport `json:"thresholds"`
}

// ThresholdReport is the same for another threshold.
type ThresholdReport struct {
	Threshold  float64 `json:"threshold"`
	Links      int     `json:"links"`
	FalseLinks float64 `json:"false_links"`
	Missed     float64 `json:"missed"`
}

// personal are kinds in which members of a family differ.
var personal = []compare.Kind{compare.Given, compare.FullName, compare.BirthDate, compare.BirthDay, compare.Identifier, compare.Email}

// warn adds warnings if the columns do not tell people apart: members of a family, or people with
// the few names of the file.
func (r *Report) warn(fields []link.Field, model link.Model) {
	for _, f := range model.Fields {
		if f.Held {
			r.Warnings = append(r.Warnings, fmt.Sprintf("records that agree most often differ in %q, which people keep for life: many links may be false, and the estimates do not count that; compare more columns, or raise the link threshold", f.Field.Name))
		}
	}
	if !slices.ContainsFunc(fields, func(f link.Field) bool { return slices.Contains(personal, f.Kind) }) {
		r.Warnings = append(r.Warnings, "no given name, birth date or identifier is compared: members of a family may be linked as one person, and the estimates do not count that")
	}
}

// report fills in the figures of the result.
func (r *Report) report(result *link.Result, threshold float64) {
	r.Records, r.Compared, r.Clusters = result.Records, result.Compared, len(result.Clusters)
	r.People = result.Records
	for _, members := range result.Clusters {
		r.People -= len(members) - 1
	}
	r.Bridges, r.Splits = len(result.Bridges), len(result.Splits)
	for _, p := range result.Pairs {
		if p.Probability < threshold {
			r.Review++
		}
	}
	for _, rule := range result.Rules {
		r.Rules = append(r.Rules, RuleReport{rule.Rule, rule.Pairs, rule.Only, rule.Blocks, rule.Largest, rule.Refined, rule.Cut})
	}
	m := result.Model
	r.Model = ModelReport{Prior: m.Prior, Matches: m.Matches, Rounds: m.Rounds}
	for _, f := range m.Fields {
		field := FieldReport{Field: f.Field.Name, Kind: string(f.Field.Kind), Filled: f.Filled}
		for _, l := range f.Levels {
			field.Levels = append(field.Levels, LevelReport{l.Name, l.M, l.U, finite(l.Weight)})
		}
		r.Model.Fields = append(r.Model.Fields, field)
	}
	at := result.Errors.At
	r.Estimate = EstimateReport{Precision: at.Precision, Recall: at.Recall, FalseLinks: at.FalseLinks, Missed: at.Missed}
	for _, e := range result.Errors.Thresholds {
		r.Estimate.Thresholds = append(r.Estimate.Thresholds, ThresholdReport{e.Threshold, e.Links, e.FalseLinks, e.Missed})
	}
}

// finite keeps a weight within what JSON can hold.
func finite(w float64) float64 {
	if math.IsNaN(w) {
		return 0
	}
	return max(-1000, min(w, 1000))
}

// Write prints the report as text.
func (r *Report) Write(w io.Writer) {
	name := strings.Join(r.Files, " and ")
	if r.Records == 1 {
		fmt.Fprintf(w, "%s: 1 record is 1 person, because there is no other to compare it with\n", name)
		return
	}
	fmt.Fprintf(w, "%s: %s\n\n", name, words.Count(r.Records, "record", "records"))
	r.writeColumns(w)
	r.writeRules(w)
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	r.writeFigures(w)
}

func (r *Report) writeColumns(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "column\tkind\treason")
	for _, c := range r.Columns {
		name := c.Name
		if c.With != "" {
			name += " = " + c.With
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", name, c.Kind, c.Reason)
	}
	t.Flush() // an error shows in a later write to w
	fmt.Fprint(w, "\n")
}

func (r *Report) writeFigures(w io.Writer) {
	fmt.Fprintf(w, "%s compared; %s in %s; %s\n", words.Count(r.Compared, "pair", "pairs"),
		words.Count(int(r.Pairs), "pair linked", "pairs linked"), words.Count(r.Clusters, "cluster", "clusters"), words.Count(r.People, "person", "people"))
	if r.Splits > 0 {
		fmt.Fprintf(w, "%s refused, because the records on both sides do not fit together\n", words.Count(r.Splits, "link", "links"))
	}
	fmt.Fprintf(w, "%s for a person to decide; %s, single links that hold a cluster together\n", words.Count(r.Review, "pair", "pairs"), words.Count(r.Bridges, "bridge", "bridges"))
	e := r.Estimate
	if r.Pairs > 0 {
		fmt.Fprintf(w, "estimated: precision %s, recall %s, %.1f false links, %.1f missed\n", words.Percent(e.Precision), words.Percent(e.Recall), e.FalseLinks, e.Missed)
	} else {
		fmt.Fprintf(w, "estimated: %.1f missed links\n", e.Missed) // shares of no links say nothing
	}
	if r.Accuracy != nil {
		fmt.Fprintf(w, "by the truth: precision %.4f, recall %.4f, F1 %.4f; %s, %s false links, %s missed\n", r.Precision, r.Recall, r.F1,
			words.Count(int(r.Errors.True), "true pair", "true pairs"), words.Number(int(r.Errors.False)), words.Number(int(r.Errors.Missed)))
	}
	if r.Prefixed.Cells > 0 {
		fmt.Fprintf(w, "%s of the written file made safe with a quote before it\n", words.Count(r.Prefixed.Cells, "cell", "cells"))
	}
	fmt.Fprintf(w, "%.1f seconds, at most %.0f MiB of memory\n", r.Seconds, r.PeakMiB)
}

func (r *Report) writeRules(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rule: pairs with equal\tpairs\tonly by it\tlargest block\trefined\tcut")
	for _, rule := range r.Rules {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", rule.Rule, words.Number(rule.Pairs), words.Number(rule.Only), words.Number(rule.Largest), words.Number(rule.Refined), words.Number(rule.Cut))
	}
	t.Flush() // an error shows in a later write to w
	fmt.Fprint(w, "\n")
}
