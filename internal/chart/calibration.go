// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf/score"
	"hide/internal/greedy"
	"hide/internal/words"
)

// estimate is a value with or without an interval.
func estimate(v float64, i *score.Interval) greedy.Estimate {
	if i == nil {
		return greedy.Estimate{Value: v, Low: v, High: v}
	}
	return greedy.Estimate{Value: v, Low: i.Low, High: i.High}
}

// figure is a share in a table: "96.0 % [95.4–96.5]".
func figure(v float64, i *score.Interval) string { return ShareCell(estimate(v, i)) }

// ratioCells are recall, precision and F1. Recall has no value without gold spans, and
// precision none without predictions.
func ratioCells(t score.Tally) [3]string {
	cells := figures(t.Recall, t.Precision, t.F1, t.Interval)
	if t.TP+t.FN == 0 {
		cells[0] = "–"
	}
	if t.TP+t.FP == 0 {
		cells[1] = "–"
	}
	return cells
}

func meanCells(m score.Mean) [3]string { return figures(m.Recall, m.Precision, m.F1, m.Interval) }

func figures(recall, precision, f1 float64, i *score.Intervals) [3]string {
	if i == nil {
		return [3]string{figure(recall, nil), figure(precision, nil), figure(f1, nil)}
	}
	return [3]string{figure(recall, &i.Recall), figure(precision, &i.Precision), figure(f1, &i.F1)}
}

// labelsOf are the labels of a level, the most frequent first.
func labelsOf(l score.Level) []annotate.Label {
	return slices.SortedFunc(maps.Keys(l.Labels), func(a, b annotate.Label) int {
		x, y := l.Labels[a], l.Labels[b]
		return cmp.Or(cmp.Compare(y.TP+y.FN, x.TP+x.FN), cmp.Compare(a, b))
	})
}

// leftCell is the number of words of a label that no suggestion covers.
func leftCell(r *score.Report, l annotate.Label) string {
	s, known := r.Leaks.Labels[l]
	if !known {
		return "–"
	}
	return ofAll(s.Count, s.Of)
}

// gapWords say how far scores are from the observed shares.
func gapWords(c *score.Calibration) string {
	return fmt.Sprintf("%s: mean score %s, observed share %s. Expected calibration error %s percentage points; maximum calibration error %s. Brier score %.4f (constant score: %.4f).",
		words.Number(c.Count), words.Percent(c.Predicted), words.Percent(c.Observed), words.OneDecimal(c.ECE), words.OneDecimal(c.MCE), c.Brier, c.Observed*(1-c.Observed))
}

// binWords is like "20–30 %".
func binWords(b score.Bin) string {
	return scoreDigits(b.Low) + "–" + scoreDigits(b.High) + " %"
}

func scoreDigits(v float64) string { return words.PercentDigits(v, 0) }

// LeakWords: "5 of 40 notes (12.5 % [4–25]) and 4 of 30 patients have words left
// that no suggestion covers: 12 of 900 sensitive words (1.3 % [0.4–2.6])."
func LeakWords(r *score.Report) string {
	where := portionWords(r.Leaks.Documents, "notes")
	if r.Leaks.Patients != nil {
		where += " and " + portionWords(*r.Leaks.Patients, "patients")
	}
	return fmt.Sprintf("%s contain missed PHI: %s.", where, portionWords(r.Leaks.Tokens, "sensitive words"))
}

func portionWords(s score.Share, what string) string {
	return fmt.Sprintf("%s of %s %s (%s)", words.Number(s.Count), words.Number(s.Of), what, figure(s.Share, s.Interval))
}

// IntervalWords explain the brackets.
func IntervalWords(r *score.Report) string {
	if r.Bootstrap.Resamples == 0 {
		return "There are too few patients for intervals."
	}
	return fmt.Sprintf("Brackets are 95 %% intervals from resampling %s, each with all notes of a patient.",
		words.Count(r.Bootstrap.Groups, "group", "groups"))
}

// ofAll is like "12 of 90".
func ofAll(n, all int) string { return words.Number(n) + " of " + words.Number(all) }

var (
	measureWidth = Measure{"found", "ten equal parts of the scale", "circle"}
	measureMass  = Measure{"ranked", "deciles of the scores", "diamond"}
)

const reliabilitySize = 400

// reliabilityPlot shows the observed share against the mean score, for bins of scores,
// with intervals. Bins of equal mass are points without a line.
func reliabilityPlot(id, title string, c *score.Calibration) *Plot {
	p := &Plot{
		ID: id, Title: title, XLabel: "score, %", YLabel: "came true, %",
		W: reliabilitySize, H: reliabilitySize, Wide: true,
	}
	width := Series{Measure: measureWidth}
	var desc strings.Builder
	for _, b := range c.Width {
		width.Data = append(width.Data, Datum{X: greedy.Estimate{Value: b.Predicted}, Y: estimate(b.Observed, b.Interval), Label: words.Number(b.Count)})
		fmt.Fprintf(&desc, "Of %s with a mean score of %s, %s were correct. ", words.Number(b.Count), words.Percent(b.Predicted), words.Percent(b.Observed))
	}
	mass := Series{Measure: measureMass, Loose: true}
	for _, b := range c.Mass {
		mass.Data = append(mass.Data, Datum{X: greedy.Estimate{Value: b.Predicted}, Y: greedy.Estimate{Value: b.Observed}})
	}
	p.Desc = desc.String() + "The table below has the same figures."
	p.Layout(tenths(), tenths(), []Series{mass, width})
	return p
}

// tenths is an axis of shares from 0 to 1.
func tenths() Scale {
	var s Scale
	for k := 0; k <= 10; k += 2 {
		v := float64(k) / 10
		s.Ticks = append(s.Ticks, Tick{v, percentTick(v, 0.2)})
	}
	return s
}

// diagonal is the line of perfect calibration.
func diagonal(p *Plot) string {
	return "M" + Px(p.Box.Left) + " " + Px(p.Box.Bottom) + "L" + Px(p.Box.Right) + " " + Px(p.Box.Top)
}

// WriteScores writes scores as one self-contained HTML page: figures by label with
// intervals, entities unless p is nil, leaks and reliability diagrams. It holds labels and
// numbers, and no text of notes.
func WriteScores(ctx context.Context, w io.Writer, r score.Report, p *score.Protection) error {
	return writePage(ctx, w, "hide evaluate", reportBody(&r, p))
}

// otherWay is a matching criterion without labels.
type otherWay struct {
	name string
	score.Tally
}

// otherWays are the figures of the i2b2-2014 script.
func otherWays(r *score.Report) []otherWay {
	ways := i2b2Ways("i2b2-2014", r.I2B2.I2B2Figures)
	if r.I2B2.HIPAA != nil {
		ways = append(ways, i2b2Ways("i2b2-2014 HIPAA", *r.I2B2.HIPAA)...)
	}
	return ways
}

func i2b2Ways(name string, f score.I2B2Figures) []otherWay {
	return []otherWay{
		{name + " strict", f.Strict.Micro}, {name + " relaxed", f.Relaxed.Micro}, {name + " token", f.Token.Micro},
		{name + " binary strict", f.BinaryStrict.Micro}, {name + " binary token", f.BinaryToken.Micro},
	}
}
