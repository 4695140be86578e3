// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf/score"
	"hide/internal/greedy"
	"hide/internal/words"
)

// estimate is a value with its interval, or without.
func estimate(v float64, i *score.Interval) greedy.Estimate {
	if i == nil {
		return greedy.Estimate{Value: v, Low: v, High: v}
	}
	return greedy.Estimate{Value: v, Low: i.Low, High: i.High}
}

// figure is a share in a table: "96.0 % [95.4–96.5]".
func figure(v float64, i *score.Interval) string { return ShareCell(estimate(v, i)) }

// ratioCells are recall, precision and F1; the first two have no value without
// anything to be found or predicted.
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

// leftCell is how many words of a label no suggestion covers.
func leftCell(r *score.Report, l annotate.Label) string {
	s, known := r.Leaks.Labels[l]
	if !known {
		return "–"
	}
	return ofAll(s.Count, s.Of)
}

// gapWords say how far scores are off.
func gapWords(c *score.Calibration) string {
	return fmt.Sprintf("%s: mean score %s, observed share %s. Expected calibration error %s percentage points; maximum calibration error %s. Brier score %.4f (constant score: %.4f).",
		words.Number(c.Count), words.Percent(c.Predicted), words.Percent(c.Observed), words.PercentDigits(c.ECE, 1), words.PercentDigits(c.MCE, 1), c.Brier, c.Observed*(1-c.Observed))
}

// binWords: "20–30 %".
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

// IntervalWords say what brackets are.
func IntervalWords(r *score.Report) string {
	if r.Bootstrap.Resamples == 0 {
		return "There are too few patients for intervals."
	}
	return fmt.Sprintf("Brackets are 95 %% intervals from resampling %s, each with all notes of a patient.",
		words.Count(r.Bootstrap.Groups, "group", "groups"))
}

// ofAll: "12 of 90".
func ofAll(n, all int) string { return words.Number(n) + " of " + words.Number(all) }
