// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

// madeWords: "Model 3 was trained on 40 finished notes of 31 patients in 12 s, with hide 0.1.0."
func (v modelView) madeWords() string {
	words := fmt.Sprintf("Model %s was trained on %s", ui.Number(v.Model), ui.Count(v.Documents, "finished note", "finished notes"))
	if n := v.Card.Data.Patients; n > 0 {
		words += " of " + ui.Count(n, "patient", "patients")
	}
	words += " in " + ui.Seconds(v.Took)
	if v.Card.Program != "" {
		words += ", with hide " + v.Card.Program
	}
	return words + "."
}

// shownWords say who makes the suggestions that annotators see.
func (v modelView) shownWords() string {
	switch {
	case v.By.Detector && v.By.Run > 0:
		return fmt.Sprintf("Annotators see its suggestions, and those of the detector of run %s where it finds more. The figures below are of the model alone.", ui.Number(v.By.Run))
	case v.By.Detector:
		return "Annotators see its suggestions, and those of a detector where it finds more. The figures below are of the model alone."
	case v.By.Model > 0:
		return "Annotators see its suggestions."
	}
	return strings.TrimSpace("Annotators do not see its suggestions yet. " + v.training.modelWaits() + " " + v.training.rulesSuggest())
}

// modelFrom says when there will be a first model.
func modelFrom(t training.Status) string {
	switch {
	case t.Running || t.Queued:
		return "The first model is being trained. This page will say when it is ready."
	case t.NeedMore > 0:
		return "Training starts after " + ui.Count(t.NeedMore, "more finished note", "more finished notes") + ". The model is trained again as more are finished."
	}
	return "Training starts after the next finished note."
}

// learner is the name of the learner.
func (v modelView) learner() string {
	if v.Card.Learner == "crf" {
		return "linear-chain CRF"
	}
	return string(v.Card.Learner)
}

// families are the kinds of feature that the model uses, in the program's order.
func (v modelView) families() []project.Family {
	return slices.DeleteFunc(project.Families(), func(f project.Family) bool { return !slices.Contains(v.Card.Features.Families, f.Name) })
}

// presetWords names the features of the model as the settings page does.
func (v modelView) presetWords() string {
	words := presetNames[v.Preset]
	if words == "" {
		return "a set of its own"
	}
	if len(v.Without) > 0 {
		words += ", without " + ui.Listed(v.Without)
	}
	return words
}

var presetNames = map[string]string{"default": "the standard features", "thorough": "the standard features, in two passes", "hide": "the features of HIDE (2012)"}

// checkedOf says which model the last check is of, if it is not the newest.
func (v modelView) checkedOf() string {
	switch {
	case v.Scores.Documents == 0:
		return fmt.Sprintf("The figures are of model %s, which was trained with other settings. This model has not been checked.", ui.Number(v.Check.Model))
	case v.Check.Model != v.Model:
		return fmt.Sprintf("The figures are of model %s, which was trained with the same settings.", ui.Number(v.Check.Model))
	}
	return ""
}
