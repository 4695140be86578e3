// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

// report has all measurements.
type report struct {
	Machine     machineInfo  `json:"machine"`
	Hide        string       `json:"hide"`
	Preset      string       `json:"preset"`
	Transitions string       `json:"transitions"`
	Memories    int          `json:"memories"` // of the tuned CRFsuite
	Workers     int          `json:"workers"`  // of the second hide
	Cases       []caseResult `json:"cases"`
}

type caseResult struct {
	caseSpec
	Ratios     []ratio `json:"ratios"`
	SuiteScore *score  `json:"crfsuite_test,omitempty"`
	Rounds     []round `json:"rounds"`

	memories, workers int
}

// ratio is one comparison over the rounds in which both sides have a value.
type ratio struct {
	Name   string  `json:"name"`
	Rounds int     `json:"rounds"`
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// comparison says what is compared; a nil pointer or a zero means that a round has no value.
type comparison struct {
	name string
	of   func(r round) (over, under float64)
}

// comparisons are CRFsuite / hide where more is worse, so that above 1 hide is better. The
// last ones are inverted, as they have limits.
var comparisons = []comparison{
	{"processor time of an evaluation: CRFsuite / pass", func(r round) (float64, float64) { return r.Plain.perEvaluation(), r.One.PassCPU }},
	{"the same with the optimiser's own in both", func(r round) (float64, float64) { return r.Plain.perEvaluation(), r.One.perEvaluation() }},
	{"processor time to 0.01 %: CRFsuite / hide", func(r round) (float64, float64) { return known(r.Plain.ToCPU), known(r.One.Train.ToCPU) }},
	{"processor time to 0.01 %: tuned CRFsuite / hide", func(r round) (float64, float64) {
		if r.Tuned == nil {
			return 0, 0
		}
		return known(r.Tuned.ToCPU), known(r.One.Train.ToCPU)
	}},
	{"wall to 0.01 %: CRFsuite / hide on more processors", func(r round) (float64, float64) {
		if r.More == nil {
			return 0, 0
		}
		return known(r.Plain.ToWall), known(r.More.Train.ToWall)
	}},
	{"whole training, processor time: CRFsuite / hide", func(r round) (float64, float64) { return r.Plain.CPU, r.One.Train.CPU }},
	{"objective at its own stop: hide / CRFsuite", func(r round) (float64, float64) { return r.One.Train.Objective, r.Plain.Objective }},
	{"peak memory: hide / CRFsuite", func(r round) (float64, float64) { return r.One.PeakMiB, r.Plain.PeakMiB }},
	{"peak memory: hide on more processors / CRFsuite", func(r round) (float64, float64) {
		if r.More == nil {
			return 0, 0
		}
		return r.More.PeakMiB, r.Plain.PeakMiB
	}},
	{"model file: hide / CRFsuite", func(r round) (float64, float64) { return float64(r.One.ModelBytes), float64(r.Plain.ModelBytes) }},
}

func known(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

func (c *caseResult) summarize() {
	for _, comparison := range comparisons {
		var values []float64
		for _, r := range c.Rounds {
			if over, under := comparison.of(r); over > 0 && under > 0 {
				values = append(values, over/under)
			}
		}
		if len(values) > 0 {
			c.Ratios = append(c.Ratios, ratio{comparison.name, len(values), slices.Min(values), median(values), slices.Max(values)})
		}
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// over is the median of a figure over the rounds that have it.
func (c caseResult) over(figure func(round) float64) float64 {
	var values []float64
	for _, r := range c.Rounds {
		if v := figure(r); v > 0 {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return 0
	}
	return median(values)
}

// write prints the tables in Markdown.
func (c caseResult) write(w io.Writer) {
	one := c.Rounds[0].One
	fmt.Fprintf(w, "\n### %s, %s\n\n%d documents, %d tokens, %d states, %d attributes; weights: %d of hide, %d of CRFsuite. Kernel %s. Medians of %d rounds; load before each:",
		filepath.Base(c.Train), c.Labels, one.Documents, one.Tokens, one.States, one.Attributes, one.Weights, c.Rounds[0].Plain.Features, one.Kernel, len(c.Rounds))
	for _, r := range c.Rounds {
		fmt.Fprintf(w, " %s", r.Load)
	}
	fmt.Fprintf(w, ".\n\n| | CRFsuite | CRFsuite, M = %d | hide | hide, %d workers |\n|---|---:|---:|---:|---:|\n", c.memories, c.workers)
	for _, f := range figures {
		c.row(w, f)
	}
	if s := c.SuiteScore; s != nil && one.Test != nil {
		fmt.Fprintf(w, "| F1 of spans of %s | %.4f | | %.4f | |\n", filepath.Base(c.Test), s.F1, one.Test.F1)
	}
	fmt.Fprint(w, "\n| ratio | least | median | greatest |\n|---|---:|---:|---:|\n")
	for _, r := range c.Ratios {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", r.Name, digits(r.Min), digits(r.Median), digits(r.Max))
	}
}

// digits keeps the significant digits: objectives differ in the fifth.
func digits(v float64) string {
	if v > 0.9 && v < 1.1 {
		return fmt.Sprintf("%.6f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// figure is one row of the table; nil where a program has no such figure.
type figure struct {
	name, format string
	suite        func(suiteRun) float64
	hide         func(hideRun) float64
}

var figures = []figure{
	{"final objective", "%.4f", func(r suiteRun) float64 { return r.Objective }, func(r hideRun) float64 { return r.Train.Objective }},
	{"iterations", "%.0f", func(r suiteRun) float64 { return float64(r.Iterations) }, func(r hideRun) float64 { return float64(r.Train.Iterations) }},
	{"evaluations", "%.0f", func(r suiteRun) float64 { return float64(r.Evaluations) }, func(r hideRun) float64 { return float64(r.Train.Evaluations) }},
	{"processor time of a pass, ms", "%.2f", nil, func(r hideRun) float64 { return r.PassCPU }},
	{"training per evaluation, ms", "%.2f", suiteRun.perEvaluation, hideRun.perEvaluation},
	{"training, processor time, s", "%.2f", func(r suiteRun) float64 { return r.CPU }, func(r hideRun) float64 { return r.Train.CPU }},
	{"to 0.01 %, processor time, s", "%.2f", func(r suiteRun) float64 { return known(r.ToCPU) }, func(r hideRun) float64 { return known(r.Train.ToCPU) }},
	{"to 0.01 %, wall, s", "%.2f", func(r suiteRun) float64 { return known(r.ToWall) }, func(r hideRun) float64 { return known(r.Train.ToWall) }},
	{"retraining, one more document, wall, s", "%.3f", nil, func(r hideRun) float64 {
		if r.Retrain == nil {
			return 0
		}
		return known(r.Retrain.Wall)
	}},
	{"tagging raw text, tokens/s", "%.0f", nil, func(r hideRun) float64 { return r.Tag.TokensPerSecond }},
	{"peak memory, MiB", "%.0f", func(r suiteRun) float64 { return r.PeakMiB }, func(r hideRun) float64 { return r.PeakMiB }},
	{"model file, bytes", "%.0f", func(r suiteRun) float64 { return float64(r.ModelBytes) }, func(r hideRun) float64 { return float64(r.ModelBytes) }},
}

func (c caseResult) row(w io.Writer, f figure) {
	suite := func(of func(round) *suiteRun) string {
		return c.cell(f.format, func(r round) float64 {
			if s := of(r); s != nil && f.suite != nil {
				return f.suite(*s)
			}
			return 0
		})
	}
	hide := func(of func(round) *hideRun) string {
		return c.cell(f.format, func(r round) float64 {
			if h := of(r); h != nil && f.hide != nil {
				return f.hide(*h)
			}
			return 0
		})
	}
	fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", f.name,
		suite(func(r round) *suiteRun { return &r.Plain }), suite(func(r round) *suiteRun { return r.Tuned }),
		hide(func(r round) *hideRun { return &r.One }), hide(func(r round) *hideRun { return r.More }))
}

// cell is empty when no round has the figure.
func (c caseResult) cell(format string, figure func(round) float64) string {
	v := c.over(figure)
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}
