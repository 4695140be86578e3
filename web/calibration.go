// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/words"
)

// estimate is a value with its interval, or without.
func estimate(v float64, i *project.Interval) greedy.Estimate {
	if i == nil {
		return greedy.Estimate{Value: v, Low: v, High: v}
	}
	return greedy.Estimate{Value: v, Low: i.Low, High: i.High}
}

// figure is a share in a table: "96.0 % [95.4–96.5]".
func figure(v float64, i *project.Interval) string { return shareCell(estimate(v, i)) }

// ratioCells are recall, precision and F1; the first two have no value without
// anything to be found or predicted.
func ratioCells(t project.Tally) [3]string {
	cells := figures(t.Recall, t.Precision, t.F1, t.Interval)
	if t.TP+t.FN == 0 {
		cells[0] = "–"
	}
	if t.TP+t.FP == 0 {
		cells[1] = "–"
	}
	return cells
}

func meanCells(m project.Mean) [3]string { return figures(m.Recall, m.Precision, m.F1, m.Interval) }

func figures(recall, precision, f1 float64, i *project.Intervals) [3]string {
	if i == nil {
		return [3]string{figure(recall, nil), figure(precision, nil), figure(f1, nil)}
	}
	return [3]string{figure(recall, &i.Recall), figure(precision, &i.Precision), figure(f1, &i.F1)}
}

// labelsOf are the labels of a level, the most frequent first.
func labelsOf(l project.Level) []annotate.Label {
	return slices.SortedFunc(maps.Keys(l.Labels), func(a, b annotate.Label) int {
		x, y := l.Labels[a], l.Labels[b]
		return cmp.Or(cmp.Compare(y.TP+y.FN, x.TP+x.FN), cmp.Compare(a, b))
	})
}

// leftCell is how many words of a label no suggestion covers.
func leftCell(r *project.Report, l annotate.Label) string {
	s, known := r.Leaks.Labels[l]
	if !known {
		return "–"
	}
	return fmt.Sprintf("%s of %s", number(s.Count), number(s.Of))
}

// gapWords say how far scores are off.
func gapWords(c *project.Calibration) string {
	return fmt.Sprintf("%s: scores promise %s on average, and %s came true. A score is %s percentage points off on average (expected calibration error), and %s in the tenth of the scale where it is worst. Mean squared error %.4f (Brier score); the same score for all would have %.4f.",
		number(c.Count), formatPercent(c.Predicted), formatPercent(c.Observed), words.PercentDigits(c.ECE, 1), words.PercentDigits(c.MCE, 1), c.Brier, c.Observed*(1-c.Observed))
}

// binWords: "20–30 %".
func binWords(b project.Bin) string {
	return scoreDigits(b.Low) + "–" + scoreDigits(b.High) + " %"
}

func scoreDigits(v float64) string { return words.PercentDigits(v, 0) }
