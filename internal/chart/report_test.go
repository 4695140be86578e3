// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/browsertest"
)

// madeCharts is a report with every kind of axis and more lines than a chart has styles
// for.
func madeCharts() Report {
	names := []string{"paper", "paper-holdout", "greedy-union", "default", "cost", "cost-weight", "seventh", "eighth"}
	panel := func(title string, x, y Axis, xs []float64, top float64) Panel {
		p := Panel{Title: title, XLabel: "L/C", YLabel: "left", X: x, Y: y}
		for i, name := range names {
			l := Line{Name: name}
			for k, x := range xs {
				v := top * float64(i+1) / float64(k+9)
				l.Points = append(l.Points, Point{X: x, Y: v, Low: v * .9, High: v * 1.1})
			}
			p.Lines = append(p.Lines, l)
		}
		return p
	}
	factors := []float64{1, 2, 5, 10, 20, 50, 100}
	return Report{
		Title: "hide <experiment>", Command: "hide experiment --in notes.jsonl --lc 1,2,5,10,20,50,100 --modes paper,default,cost --html " + strings.Repeat("long", 40),
		Lines: []string{"100 documents."},
		Sections: []Section{
			{Title: "Left", About: "Of what there was.", Panels: []Panel{panel("crf", AxisFactors, AxisCounts, factors, 900), panel("svm", AxisFactors, AxisShares, factors, .9)},
				Tables: []Table{{Caption: "Left by mode", Head: []string{"mode", "L/C 1", "L/C 10"}, Rows: [][]string{{"paper", "12 (3 to 20)", "4 & 5"}}}}},
			{Title: "Frontier", Panels: []Panel{panel("left", AxisKept, AxisCounts, []float64{.999, .995, .99, .98}, 90), panel("one", AxisFactors, AxisCounts, []float64{10}, 9)}},
			{Title: "Nothing", Panels: []Panel{{Title: "none", X: AxisFactors}}},
		},
	}
}

func chartsPage(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteReport(t.Context(), &b, madeCharts()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestChartReportStandsAlone(t *testing.T) {
	page := chartsPage(t)
	for _, want := range []string{"<!DOCTYPE html>", "<title>hide &lt;experiment&gt; · hide</title>", "12 (3 to 20)", "4 &amp; 5", `class="series m-line7"`, "Nothing to show yet", "</html>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"<script", "http://", "https://", " src=", "NaN", "Inf"} {
		if strings.Contains(page, bad) {
			t.Errorf("the report has %q", bad)
		}
	}
}

func TestChartReportIsOneAccessiblePage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "charts.html")
	if err := os.WriteFile(file, []byte(chartsPage(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	v := browsertest.Start(t)
	v.Open("file://" + file)
	v.WaitText("h1", "hide <experiment>")
	v.Axe()
	v.Legible()
	v.Shots("charts")
}

func TestLinesOfASectionLookTheSameInEveryPanel(t *testing.T) {
	s := Section{Panels: []Panel{{Lines: []Line{{Name: "a"}, {Name: "b"}}}, {Lines: []Line{{Name: "b"}}}}}
	plots := s.plots(1)
	if plots[0].Series[1].Measure != plots[1].Series[0].Measure || len(s.key().Series) != 2 {
		t.Errorf("%+v and %+v", plots[0].Series[1].Measure, plots[1].Series[0].Measure)
	}
}

func TestFactorScalePlacesEqualFactorsEvenly(t *testing.T) {
	s := factorScale([]float64{100, 1, 10, 10})
	if len(s.Ticks) != 3 || s.at(1) != 0 || s.at(100) != 1 || math.Abs(s.at(10)-.5) > 1e-9 {
		t.Errorf("%d ticks, 10 at %g", len(s.Ticks), s.at(10))
	}
	if ticks := (Panel{}).scale(AxisFactors, []float64{10, 1000}).Ticks; ticks[1].Label != "1,000" {
		t.Errorf("ticks %v", ticks)
	}
	if one := factorScale([]float64{5}); one.at(5) <= 0 || one.at(5) >= 1 {
		t.Errorf("a single value is at %g", one.at(5))
	}
}
