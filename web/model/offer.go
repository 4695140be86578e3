// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"

	"hide/internal/chart"
	"hide/internal/project/training"
	"hide/web/ui"
)

// modelWaits says why the model's suggestions are not shown; "" when they are, or
// there is no model.
func (t Training) modelWaits() string {
	switch o := t.Offer; {
	case t.Model == 0 || o.Model:
		return ""
	case t.Scores.Documents > 0:
		r := t.Scores.Recall
		return fmt.Sprintf("Its suggestions are not shown yet: recall %s%s, required %s.", ui.Percent(r.Value), chart.Bracket(r, ui.WholePercent), ui.Percent(o.Level))
	case o.Patients < training.CheckFrom:
		return fmt.Sprintf("Its suggestions are not shown until it is checked. The check needs finished notes of %s.", ui.Count(training.CheckFrom-o.Patients, "more patient", "more patients"))
	}
	return "Its suggestions are not shown until it has been checked."
}

// rulesSuggest says what rules do while no model suggests; "" when they are off or a
// model does.
func (t Training) rulesSuggest() string {
	o := t.Offer
	var shown []string
	for _, r := range o.ByRules {
		if r.Shown {
			shown = append(shown, ui.LabelWords(r.Label))
		}
	}
	switch {
	case !o.Rules || o.Model:
		return ""
	case o.Level == 0:
		return "Rules suggest until there is a model."
	case t.NeedMore > 0 && len(o.ByRules) == 0:
		return "Rules suggest as soon as finished notes show their recall."
	case len(shown) == 0:
		return "The recall of the rules is too low to suggest anything yet."
	}
	return "Rules suggest " + ui.Listed(shown) + " meanwhile."
}

// ruleWords is one label of what rules find.
func ruleWords(r training.RuleRecall) string {
	words := fmt.Sprintf("%s: recall %s%s in %s", ui.LabelWords(r.Label), ui.Percent(r.Recall.Value), chart.Bracket(r.Recall, ui.WholePercent), ui.Count(r.Documents, "note", "notes"))
	if !r.Shown {
		words += ", not shown"
	}
	return words
}
