// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"math"
	"strings"

	"hide/internal/bootstrap"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project/training"
	"hide/internal/words"
	"hide/web/ui"
)

// biasRow is one figure of notes annotated with and without suggestions.
type biasRow struct {
	name, help                  string
	blind, assisted, difference bootstrap.Estimate
	share                       bool // of things, shown in per cent; otherwise a number per 100
}

func biasRows(b bootstrap.Bias) []biasRow {
	return []biasRow{
		{"Recall of the model", "share of the words marked by annotators that the model finds", b.Blind.Recall, b.Assisted.Recall, b.Recall, true},
		{"Precision of the model", "share of the words marked by the model that annotators marked", b.Blind.Precision, b.Assisted.Precision, b.Precision, true},
		{"Suggestions that agree", "share of the suggested spans that annotators marked exactly so", b.Blind.Agreement, b.Assisted.Agreement, b.Agreement, true},
		{"Words marked", "by annotators, per 100 words", b.Blind.Marked, b.Assisted.Marked, b.Marked, false},
	}
}

func (r biasRow) title() string {
	if r.share {
		return r.name + ", %"
	}
	return r.name
}

// cell is a figure with its interval.
func (r biasRow) cell(e bootstrap.Estimate) string {
	if r.share {
		return words.OneDecimal(e.Value) + chart.Bracket(greedyEstimate(e), words.OneDecimal)
	}
	return oneDigit(e.Value) + chart.Bracket(greedyEstimate(e), oneDigit)
}

// change is a difference, in points for shares.
func (r biasRow) change() string {
	e, digits := r.difference, oneDigit
	if r.share {
		digits = func(v float64) string { return oneDigit(100 * v) }
	}
	sign := ""
	if e.Value > 0 {
		sign = "+"
	}
	return sign + digits(e.Value) + chart.Bracket(greedyEstimate(e), digits)
}

func greedyEstimate(e bootstrap.Estimate) greedy.Estimate {
	return greedy.Estimate{Value: e.Value, Low: e.Low, High: e.High}
}

func oneDigit(v float64) string { return strings.Replace(fmt.Sprintf("%.1f", v), "-", "−", 1) }

// blindVerdict describes the result of the comparison with blind notes.
func blindVerdict(b training.BlindNotes) string {
	have := fmt.Sprintf("%s finished without suggestions on purpose, %d with suggestions in view.", ui.Count(b.Done, "note was", "notes were"), b.Assisted)
	switch {
	case b.Share == 0 && b.Done == 0:
		return "No note is annotated without suggestions, so the effect of suggestions is not known."
	case !b.Bias.Known():
		return have + fmt.Sprintf(" A comparison needs notes of %d patients on each side, checked by a model.", bootstrap.BiasFrom)
	}
	r := b.Bias.Recall
	switch {
	case r.Low > 0:
		return have + fmt.Sprintf(" Annotators who see suggestions seem to overlook PHI that is not suggested: the recall of the model is %s points higher on their notes than on the others. Raise the recall from which suggestions are shown, and check some of the notes that were finished with suggestions.", oneDigit(100*r.Value))
	case r.High < 0:
		return have + fmt.Sprintf(" Annotators who see suggestions do not overlook more: the recall of the model is %s points lower on their notes.", oneDigit(-100*r.Value))
	}
	return have + fmt.Sprintf(" There is no significant difference in recall. A difference of up to %s points is still possible.", oneDigit(100*math.Max(math.Abs(r.Low), math.Abs(r.High))))
}
