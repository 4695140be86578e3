// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/internal/words"
	"hide/web/ui"
)

// comparison are two measurements side by side: the newest and an earlier one.
type comparison struct {
	newest, earlier training.CurveRecord
}

// comparison compares the newest measurement with the one that the address names by its place,
// from 1, or else with the one before; nil when there is none.
func (v curvesView) comparison() *comparison {
	if v.Status.Last == nil || len(v.Status.Earlier) == 0 {
		return nil
	}
	return &comparison{*v.Status.Last, v.Status.Earlier[v.With]}
}

// compareWith takes the place that was asked for, when there is one.
func (v *curvesView) compareWith(asked string) {
	if n, err := strconv.Atoi(asked); err == nil && n >= 1 && n <= len(v.Status.Earlier) {
		v.With = n - 1
	}
}

func curvesWithURL(id project.ID, place int) templ.SafeURL {
	return ui.CurvesURL(id) + templ.SafeURL(fmt.Sprintf("?with=%d#compared-title", place+1))
}

// names are names for the two: the learner, with the time where both have the same
// learner.
func (b comparison) names() (newest, earlier string) {
	newest, earlier = curveLearner(b.newest.Learner), curveLearner(b.earlier.Learner)
	if newest == earlier {
		newest, earlier = newest+", now", earlier+", "+ui.Moment(b.earlier.At)
	}
	return newest, earlier
}

// mostCompared is how many lines of each measurement are drawn. Charts have twice as many
// line styles.
const mostCompared = 3

// plots draw both, the earlier one dashed.
func (b comparison) plots() []*chart.Plot {
	newest, earlier := b.names()
	one, two := comparedPanels(b.newest.Curves, newest, false), comparedPanels(b.earlier.Curves, earlier, true)
	plots := make([]*chart.Plot, len(one))
	for i := range one {
		title := []string{"Spans", "Words"}[i]
		plots[i] = chart.NewPlot(fmt.Sprintf("compared-%d", i+1), chart.Panel{Title: title, XLabel: one[i].XLabel, YLabel: one[i].YLabel, X: one[i].X, Y: one[i].Y, Lines: slices.Concat(one[i].Lines, two[i].Lines)})
	}
	return plots
}

func comparedPanels(c training.Curves, name string, dashed bool) []chart.Panel {
	c.Lines = c.Lines[:min(len(c.Lines), mostCompared)]
	panels := chart.CurvePanels(c, func(line, point int) string {
		return samplingShort(c.Settings[c.Lines[line].Points[point].Setting].Sampling)
	})
	for _, panel := range panels {
		for i := range panel.Lines {
			panel.Lines[i].Name, panel.Lines[i].Dashed = name+": "+curveName(panel.Lines[i].Name), dashed
		}
	}
	return panels
}

// comparedRow is a setting and its figures in both measurements; nil where it was not
// measured.
type comparedRow struct {
	name            string
	newest, earlier *training.CurveSetting
}

// rows are the settings of the newest measurement, then those of the earlier one alone.
func (b comparison) rows() []comparedRow {
	var rows []comparedRow
	for i, s := range b.newest.Settings {
		rows = append(rows, comparedRow{name: ui.SamplingWords(s.Sampling), newest: &b.newest.Settings[i]})
	}
	for i, s := range b.earlier.Settings {
		name := ui.SamplingWords(s.Sampling)
		at := slices.IndexFunc(rows, func(r comparedRow) bool { return r.name == name })
		if at < 0 {
			rows, at = append(rows, comparedRow{name: name}), len(rows)
		}
		rows[at].earlier = &b.earlier.Settings[i]
	}
	return rows
}

// caveats list reasons for a difference other than the learner.
func (b comparison) caveats() []string {
	var all []string
	if b.newest.Revisions != b.earlier.Revisions {
		all = append(all, "The two measurements used different notes, which can explain a part of the difference.")
	}
	if b.newest.Options != b.earlier.Options {
		all = append(all, "The training settings were different then.")
	}
	if b.newest.Folded != b.earlier.Folded {
		all = append(all, "One of the two learners does not distinguish labels. Its figures count sensitive or not; those of the other learner count the label as well.")
	}
	if max(len(b.newest.Lines), len(b.earlier.Lines)) > mostCompared {
		all = append(all, fmt.Sprintf("The charts show the first %d curves of each measurement. The table shows all.", mostCompared))
	}
	return all
}

func shareDigits(s *training.CurveSetting, of func(training.Tally) float64) string {
	if s == nil {
		return "–"
	}
	return words.OneDecimal(of(s.Token))
}

func recallOf(t training.Tally) float64 { return t.Recall }

func precisionOf(t training.Tally) float64 { return t.Precision }
