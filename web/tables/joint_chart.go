// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hide/internal/chart"
	"hide/internal/publish/joint"
	"hide/internal/words"
	"hide/web/publishing"
	"hide/web/ui"
)

var (
	measureChosen = chart.Measure{Class: "chosen", Name: "shown", Marker: "ring"}
	measureAlike  = chart.Measure{Class: "left", Name: "patients with the same risks, and their number", Marker: "circle"}
)

// mostTrades is how many k are drawn: nobody can tell more lines apart.
const mostTrades = 4

// drawnKs are the k that are drawn: the smallest, and the one that is shown.
func (v jointView) drawnKs() []int {
	ks := v.ks()
	for len(ks) > mostTrades {
		last := len(ks) - 1
		if ks[last] == v.at.K {
			last--
		}
		ks = slices.Delete(ks, last, last+1)
	}
	return ks
}

// jointTrade draws the loss in the fields against the loss in the notes: a line along
// lambda for each k, and a point for GDF, which has no lambda.
func jointTrade(v jointView) *chart.Plot {
	p := chart.PanelPlot("joint-trade", "Loss in the fields and in the terms", "loss in the fields, %", "loss in the terms, %")
	gdf, chosen := chart.Series{Measure: chart.Measure{Class: "trade4", Name: "GDF, by k", Marker: "cross"}, Loose: true}, chart.Series{Measure: measureChosen, Loose: true}
	var all []chart.Series
	var xs, ys []float64
	var desc strings.Builder
	for i, k := range v.drawnKs() {
		line := chart.Series{Measure: chart.LineMeasure(i, "k = "+strconv.Itoa(k))}
		for _, at := range v.where(func(p joint.SweepPoint) bool { return p.K == k }) {
			d := chart.Datum{X: chart.Exact(at.Relational), Y: chart.Exact(at.Textual), Label: byOf(at)}
			xs, ys = append(xs, at.Relational), append(ys, at.Textual)
			fmt.Fprintf(&desc, "k = %d, %s: fields %s, terms %s. ", k, byWords(byOf(at)), words.Percent(at.Relational), words.Percent(at.Textual))
			if k == v.at.K && byOf(at) == v.at.By {
				chosen.Data = append(chosen.Data, chart.Datum{X: d.X, Y: d.Y})
			}
			if at.Strategy == joint.GDF {
				d.Label = strconv.Itoa(k)
				gdf.Data = append(gdf.Data, d)
				continue
			}
			line.Data = append(line.Data, d)
		}
		all = append(all, line)
	}
	p.Desc = desc.String()
	p.Layout(chart.WholeShareScale(xs), chart.WholeShareScale(ys), append(all, gdf, chosen))
	return p
}

// jointByK draws both losses by k, for the method that is shown and its rival.
func jointByK(v jointView) *chart.Plot {
	ks := v.ks()
	panel := chart.Panel{Title: "Information loss by k", XLabel: "k", YLabel: "loss, %", X: chart.AxisSteps, Y: chart.AxisWholeShares, Steps: kSteps(ks)}
	bys := []string{v.at.By}
	if rival := v.rival(); rival != nil {
		bys = append(bys, byOf(*rival))
	}
	for _, by := range bys {
		fields, terms := chart.Line{Name: "fields, " + byWords(by)}, chart.Line{Name: "terms, " + byWords(by)}
		for _, p := range v.where(func(p joint.SweepPoint) bool { return byOf(p) == by }) {
			x := float64(slices.Index(ks, p.K))
			fields.Points, terms.Points = append(fields.Points, chart.Point{X: x, Y: p.Relational}), append(terms.Points, chart.Point{X: x, Y: p.Textual})
		}
		panel.Lines = append(panel.Lines, fields, terms)
	}
	return chart.NewPlot("joint-by-k", panel)
}

// mostTypes is how many types of terms are drawn.
const mostTypes = 12

// typeBars draws the share of each type of terms that is suppressed, the types with most
// terms first.
func typeBars(id string, p joint.SweepPoint) *chart.Bars {
	types := slices.Clone(p.Types)
	slices.SortStableFunc(types, func(a, b joint.TypeLoss) int { return cmp.Compare(b.Terms, a.Terms) })
	types = types[:min(mostTypes, len(types))]
	b := chart.NewBars(id, "Suppressed terms by type: "+byWords(byOf(p)))
	for _, t := range types {
		b.Add(string(t.Type), words.Percent(t.Loss), chart.BarLength*t.Loss)
	}
	return b
}

// typeRow is the loss of a type with two methods.
type typeRow struct {
	joint.TypeLoss
	Rival string // "" without one
}

func typeRows(p joint.SweepPoint, rival *joint.SweepPoint) []typeRow {
	var rows []typeRow
	for i, t := range p.Types {
		row := typeRow{TypeLoss: t}
		if rival != nil {
			row.Rival = words.Percent(rival.Types[i].Loss)
		}
		rows = append(rows, row)
	}
	return rows
}

// riskBand is how many patients have a risk up to To.
type riskBand struct {
	Name    string
	To      float64
	Persons int
}

// riskBands end at customary thresholds.
func riskBands(groups []joint.GroupRisk) []riskBand {
	bands := []riskBand{{"to 5 %", .05, 0}, {"5 to 9 %", .09, 0}, {"9 to 20 %", .2, 0}, {"20 to 33 %", .33, 0}, {"33 to 50 %", .5, 0}, {"above 50 %", 1, 0}}
	for _, g := range groups {
		i := slices.IndexFunc(bands, func(b riskBand) bool { return g.Joint <= b.To+1e-9 })
		bands[i].Persons += g.Persons
	}
	return bands
}

func riskBars(groups []joint.GroupRisk, texts bool) *chart.Bars {
	var counts []publishing.LabelCount
	for _, b := range riskBands(groups) {
		counts = append(counts, publishing.LabelCount{Label: b.Name, N: b.Persons})
	}
	title := "Patients by their risk through the table"
	if texts {
		title = "Patients by their joint risk, through table and notes"
	}
	return publishing.LabelBars("joint-risk", title, counts)
}

// riskScatter draws the risk through the table against the risk through the notes.
func riskScatter(groups []joint.GroupRisk) *chart.Plot {
	p := chart.PanelPlot("joint-scatter", "Risk through the table and through the notes", "risk through the table, %", "risk through the notes, %")
	all := chart.Series{Measure: measureAlike, Loose: true}
	xs, ys := []float64{0}, []float64{0}
	var desc strings.Builder
	for _, g := range groups {
		all.Data = append(all.Data, chart.Datum{X: chart.Exact(g.Table), Y: chart.Exact(g.Text), Label: ui.Number(g.Persons)})
		xs, ys = append(xs, g.Table), append(ys, g.Text)
		fmt.Fprintf(&desc, "%s: table %s, notes %s. ", ui.Count(g.Persons, "patient", "patients"), words.Percent(g.Table), words.Percent(g.Text))
	}
	p.Desc = desc.String()
	p.Layout(chart.WholeShareScale(xs), chart.WholeShareScale(ys), []chart.Series{all})
	return p
}

// mostGroups is how many groups of patients a table lists.
const mostGroups = 12

// mostAtRisk are the groups with the highest risk.
func mostAtRisk(groups []joint.GroupRisk) []joint.GroupRisk {
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(a, b joint.GroupRisk) int { return cmp.Compare(b.Joint, a.Joint) })
	return sorted[:min(mostGroups, len(sorted))]
}
