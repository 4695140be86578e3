// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"strings"

	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/internal/words"
	"hide/web/ui"
)

// curvesView is everything the page of sampling shows.
type curvesView struct {
	Project project.Overview
	Status  training.CurveStatus
	Form    curvesForm
	Error   string // why nothing was started
	Saved   bool   // the project has just been given another setting
	With    int    // index of the earlier measurement that the newest is compared with
}

// ready reports whether there are enough notes to measure on.
func (v curvesView) ready() bool { return v.Status.NeedNotes == 0 && v.Status.NeedPeople == 0 }

// curvePlots are the charts of the page, in its words.
func curvePlots(c training.Curves) []*chart.Plot {
	panels := chart.CurvePanels(c, func(line, point int) string {
		return samplingShort(c.Settings[c.Lines[line].Points[point].Setting].Sampling)
	})
	plots := make([]*chart.Plot, len(panels))
	for i, panel := range panels {
		for j := range panel.Lines {
			panel.Lines[j].Name = curveName(panel.Lines[j].Name)
		}
		plots[i] = chart.NewPlot(fmt.Sprintf("curves-%d", i+1), panel)
	}
	return plots
}

// curveName is a line's keys in words.
func curveName(keys string) string {
	words := map[string]string{"o": "share of non-PHI words", "window": "only near a PHI word", "cost": "cost of a miss"}
	parts := strings.Split(keys, "+")
	for i, key := range parts {
		if w, known := words[key]; known {
			parts[i] = w
		}
	}
	return strings.Join(parts, ", ")
}

// samplingShort is [ui.SamplingWords] for a point of a chart.
func samplingShort(s project.Sampling) string {
	var parts []string
	if s.O > 0 {
		parts = append(parts, typedPercent(s.O)+" %")
	}
	if s.Window > 0 {
		parts = append(parts, fmt.Sprint(s.Window))
	}
	if len(s.Cost) > 0 {
		parts = append(parts, ui.CostWords(s))
	}
	if len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, ", ")
}

// curveVerdict gives the recall and precision with all words, and the setting with the
// highest recall.
func curveVerdict(c training.Curves) string {
	best := 0
	for i, s := range c.Settings {
		if s.Token.Recall > c.Settings[best].Token.Recall {
			best = i
		}
	}
	all, most := c.Settings[0], c.Settings[best]
	verdict := fmt.Sprintf("Trained on all words, the model has a recall of %s and a precision of %s.", words.Percent(all.Token.Recall), words.Percent(all.Token.Precision))
	if best == 0 {
		return verdict + " No other setting has a higher recall."
	}
	return verdict + fmt.Sprintf(" The highest recall is %s, with %s. The precision is then %s.", words.Percent(most.Token.Recall), ui.SamplingWords(most.Sampling), words.Percent(most.Token.Precision))
}

// curveMeasuredOn says on what, how and by whom.
func curveMeasuredOn(r training.CurveRecord) string {
	words := fmt.Sprintf("Measured %s by %s on %s, in %d folds by patient, with %s.", ui.Moment(r.At), r.By, ui.Count(r.Documents, "finished note", "finished notes"), r.Folds, curveLearner(r.Learner))
	if r.Folded {
		words += " This learner does not distinguish labels: a span is a run of adjacent sensitive words."
	}
	if !r.Random {
		words += " These notes are not a random sample, so figures on other notes may be worse. Every setting was measured on the same notes, so the comparison is valid."
	}
	return words
}

// curveLearner is a learner in a sentence.
func curveLearner(name string) string {
	switch name {
	case "crf":
		return "the model"
	case "bayes":
		return "naive Bayes"
	}
	return name
}

// inUse reports whether the project trains with a setting.
func (v curvesView) inUse(s training.CurveSetting) bool {
	used := s.Sampling
	return used.String() == v.Status.InUse
}
