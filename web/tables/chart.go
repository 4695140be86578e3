// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hide/internal/chart"
	"hide/internal/project/release"
	"hide/internal/words"
)

// mostLines is the largest number of settings in a chart; tables have all.
const mostLines = 6

// settingLines is the tables of a preview, a line for each l and t, by k.
type settingLines struct {
	ks    []int
	lines []compared
}

type compared struct {
	Name   string
	tables []release.TableChoice
}

func compareTables(good []release.TableChoice) settingLines {
	var c settingLines
	for _, one := range good {
		c.ks = append(c.ks, one.K)
		name := askedWords(one.TableSettings)
		if name == "" {
			name = "k only"
		}
		i := slices.IndexFunc(c.lines, func(l compared) bool { return l.Name == name })
		if i < 0 {
			if len(c.lines) == mostLines {
				continue
			}
			i = len(c.lines)
			c.lines = append(c.lines, compared{Name: name})
		}
		c.lines[i].tables = append(c.lines[i].tables, one)
	}
	slices.Sort(c.ks)
	c.ks = slices.Compact(c.ks)
	return c
}

// tableFigure is one quantity that the settings are compared by.
type tableFigure struct {
	id, title, label string
	of               func(release.TableChoice) float64
	scale            func([]float64) chart.Scale
	words            func(float64) string
}

func shareFigure(id, title, label string, of func(release.TableChoice) float64) tableFigure {
	return tableFigure{id, title, label, of, chart.WholeShareScale, words.Percent}
}

// figures are drawn by k, with one line per setting.
func (v tableView) figures() []tableFigure {
	all := []tableFigure{
		shareFigure("ncp", "Information loss", "information loss (NCP), %", func(c release.TableChoice) float64 { return c.Utility.NCP }),
		{"class", "Mean class size", "patients per class, mean", func(c release.TableChoice) float64 { return c.Utility.MeanClass }, chart.CountScale, words.Amount},
		shareFigure("risk", "Highest risk of a patient", "prosecutor risk, %", func(c release.TableChoice) float64 { return c.After.Prosecutor.Highest }),
	}
	if v.among() {
		all = append(all, shareFigure("journalist", "Highest risk in the population", "journalist risk, %", func(c release.TableChoice) float64 { return c.After.Journalist.Highest }))
	}
	if v.queried() {
		all = append(all, shareFigure("queries", "Precision of count queries", "returned patients who match, %", meanPrecision))
	}
	return all
}

// queried reports whether count queries were asked of the tables.
func (v tableView) queried() bool {
	return slices.ContainsFunc(v.good(), func(c release.TableChoice) bool { return len(c.Utility.Precision) > 0 })
}

// meanPrecision is the precision of count queries, as the mean over attributes.
func meanPrecision(c release.TableChoice) float64 {
	total := 0.0
	for _, p := range c.Utility.Precision {
		total += p.Released
	}
	return total / float64(max(1, len(c.Utility.Precision)))
}

// plot draws a figure by k.
func (c settingLines) plot(f tableFigure) *chart.Plot {
	p := chart.PanelPlot("table-"+f.id, f.title, "k", f.label)
	all := make([]chart.Series, len(c.lines))
	var values []float64
	var desc strings.Builder
	for i, line := range c.lines {
		all[i] = chart.Series{Measure: chart.LineMeasure(i, line.Name)}
		for _, one := range line.tables {
			at := f.of(one)
			all[i].Data = append(all[i].Data, chart.Datum{X: chart.Exact(float64(slices.Index(c.ks, one.K))), Y: chart.Exact(at)})
			values = append(values, at)
			fmt.Fprintf(&desc, "%s: %s. ", tableName(one.TableSettings), f.words(at))
		}
	}
	p.Desc = desc.String()
	p.Layout(chart.StepScale(kSteps(c.ks)), f.scale(values), all)
	return p
}

// kSteps are values of k as equal steps.
func kSteps(ks []int) []string {
	var steps []string
	for _, k := range ks {
		steps = append(steps, strconv.Itoa(k))
	}
	return steps
}

// lossPlot draws the information loss of each table against its risk, one line per
// setting.
func (c settingLines) lossPlot(raw *riskRow) *chart.Plot {
	p := chart.PanelPlot("table-loss", "Information loss and risk", "information loss (NCP), %", "highest risk of a patient, %")
	all := make([]chart.Series, len(c.lines))
	xs, ys := []float64{0}, []float64{0}
	var desc strings.Builder
	for i, line := range c.lines {
		all[i] = chart.Series{Measure: chart.LineMeasure(i, line.Name)}
		for _, one := range line.tables {
			x, y := one.Utility.NCP, one.After.Prosecutor.Highest
			all[i].Data = append(all[i].Data, chart.Datum{X: chart.Exact(x), Y: chart.Exact(y), Label: "k = " + strconv.Itoa(one.K)})
			xs, ys = append(xs, x), append(ys, y)
			fmt.Fprintf(&desc, "%s: information loss %s, risk %s. ", tableName(one.TableSettings), words.Percent(x), words.Percent(y))
		}
	}
	if raw != nil {
		y := raw.After.Prosecutor.Highest
		all = append(all, chart.Series{Measure: chart.Measure{Class: "loss", Name: "original values", Marker: "ring"}, Data: []chart.Datum{{X: chart.Exact(0), Y: chart.Exact(y)}}, Loose: true})
		ys = append(ys, y)
	}
	p.Desc = desc.String()
	p.Layout(chart.WholeShareScale(xs), chart.WholeShareScale(ys), all)
	return p
}
