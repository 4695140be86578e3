// SPDX-License-Identifier: Apache-2.0

package web

import (
	"math"
	"strings"
	"testing"

	"hide/internal/project"
)

func TestReliabilityChartLooksAsItDid(t *testing.T) {
	golden(t, "chart-reliability.svg", rendered(t, reliabilityChart(reliabilityPlot("reliability", "Words", madeCalibration()))))
}

// Scores that keep their promise lie on the diagonal.
func TestReliabilityChartPutsHonestScoresOnTheDiagonal(t *testing.T) {
	c := &project.Calibration{}
	for _, v := range []float64{0, 0.25, 0.5, 1} {
		c.Width = append(c.Width, project.Bin{Count: 7, Predicted: v, Observed: v})
	}
	p := reliabilityPlot("x", "x", c)
	for _, d := range p.Series[1].Points {
		share := (d.X - p.Box.Left) / (p.Box.Right - p.Box.Left)
		if y := p.Box.Bottom - share*(p.Box.Bottom-p.Box.Top); math.Abs(y-d.Y) > 1e-9 {
			t.Errorf("point at %g, %g; the diagonal is at %g", d.X, d.Y, y)
		}
	}
	if n := len(p.Series[1].Points); n != 4 {
		t.Errorf("%d points, want 4", n)
	}
}

// A ratio of nothing is not 0 %.
func TestRatiosOfNothingAreADash(t *testing.T) {
	none := ratioCells(project.Tally{FN: 3})
	if none[0] != "0.0 %" || none[1] != "–" {
		t.Errorf("of three missed: %v", none)
	}
	if invented := ratioCells(project.Tally{FP: 3}); invented[0] != "–" || invented[1] != "0.0 %" {
		t.Errorf("of three false alarms: %v", invented)
	}
}

func TestReportHasNumbersAndNoScript(t *testing.T) {
	var b strings.Builder
	if err := WriteReport(t.Context(), &b, *madeErrors().page.Report); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"<!DOCTYPE html>", "75.0 % [60.0–85.0]", "4 of 40 notes", "i2b2-2014 strict", `id="reliability-tokens-title"`, "</html>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"<script", "http://", "https://", " src="} {
		if strings.Contains(page, bad) {
			t.Errorf("the report has %q: it must stand alone", bad)
		}
	}
}
