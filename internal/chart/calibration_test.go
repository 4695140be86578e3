// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"math"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf/score"
)

func TestReliabilityChartLooksAsItDid(t *testing.T) {
	golden(t, "reliability.svg", rendered(t, reliabilityChart(reliabilityPlot("reliability", "Words", madeCalibration()))))
}

// Perfectly calibrated scores lie on the diagonal.
func TestReliabilityChartPutsHonestScoresOnTheDiagonal(t *testing.T) {
	c := &score.Calibration{}
	for _, v := range []float64{0, 0.25, 0.5, 1} {
		c.Width = append(c.Width, score.Bin{Count: 7, Predicted: v, Observed: v})
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

// A ratio with denominator 0 is not 0 %.
func TestRatiosOfNothingAreADash(t *testing.T) {
	none := ratioCells(score.Tally{FN: 3})
	if none[0] != "0.0 %" || none[1] != "–" {
		t.Errorf("ratios with three missed and none found: %v", none)
	}
	if invented := ratioCells(score.Tally{FP: 3}); invented[0] != "–" || invented[1] != "0.0 %" {
		t.Errorf("ratios with three false alarms only: %v", invented)
	}
}

func TestReportHasNumbersAndNoScript(t *testing.T) {
	var b strings.Builder
	if err := WriteScores(t.Context(), &b, madeScores(), madeProtection()); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"<!DOCTYPE html>", "75.0 % [60.0–85.0]", "4 of 40 notes", "i2b2-2014 strict", "3 of 4 direct identifiers are found in every mention.", "7 of 8 masked words had to be hidden (87.5 %; 90.0 % weighted by information).", `id="reliability-tokens-title"`, "</html>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"<script", "http://", "https://", " src="} {
		if strings.Contains(page, bad) {
			t.Errorf("the report has %q: it must be self-contained", bad)
		}
	}
}

func TestNothingMaskedHasNoPrecision(t *testing.T) {
	if got := PrecisionWords(&score.Protection{}); got != "No word is masked." {
		t.Errorf("got %q", got)
	}
}

func madeProtection() *score.Protection {
	return &score.Protection{
		Direct:    score.Recall{Entities: score.Share{Count: 3, Of: 4, Share: 0.75}, Mentions: score.Share{Count: 5, Of: 6, Share: 5. / 6}, Labels: map[annotate.Label]score.Share{"PATIENT": {Count: 3, Of: 4, Share: 0.75}}},
		Precision: score.MaskedPrecision{Words: score.Share{Count: 7, Of: 8, Share: 0.875}, Weighted: 0.9},
	}
}

func madeCalibration() *score.Calibration {
	c := &score.Calibration{Count: 1000, Predicted: 0.3, Observed: 0.28, ECE: 0.02, ECEMass: 0.03, MCE: 0.11, Brier: 0.0123}
	for i := range 10 {
		v := float64(i)/10 + 0.05
		b := score.Bin{Low: float64(i) / 10, High: float64(i+1) / 10, Count: 1000 >> i, Predicted: v, Observed: v * v, Interval: &score.Interval{Low: v * v * 0.8, High: min(1, v*v*1.2)}}
		c.Width = append(c.Width, b)
		b.Count = 100
		c.Mass = append(c.Mass, b)
	}
	return c
}

func madeScores() score.Report {
	tally := score.Tally{
		Precision: 0.9, Recall: 0.75, F1: 0.818, TP: 90, FP: 10, FN: 30,
		Interval: &score.Intervals{Precision: score.Interval{Low: 0.8, High: 0.95}, Recall: score.Interval{Low: 0.6, High: 0.85}, F1: score.Interval{Low: 0.7, High: 0.9}, Groups: 38},
	}
	report := score.Report{Documents: 40}
	report.Entity = score.Level{Micro: tally, Labels: map[annotate.Label]score.Tally{"DOCTOR": tally, "DATE": {FP: 1}}, Macro: score.Mean{Precision: 0.5, Recall: 0.5, F1: 0.5, Over: 1}}
	report.Overlap.Micro, report.Binary = tally, tally
	report.Leaks.Documents = score.Share{Count: 4, Of: 40, Share: 0.1, Interval: &score.Interval{Low: 0.02, High: 0.2}}
	report.Calibration.Tokens = madeCalibration()
	return report
}
