// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hide/internal/greedy"
	"hide/internal/option"
	"hide/internal/project/sanitize"
	"hide/internal/words"
	"hide/web/outcome"
	"hide/web/ui"
)

// rankedBudgets are the budgets of the slider, for sentences about the ranked attacker;
// none where that attacker was not run.
func rankedBudgets(v view, o greedy.Outcome) []int {
	if len(outcome.Budgets(o)) == 0 {
		return nil
	}
	return v.budgets()
}

// rankedCell is what the ranked attacker finds, or a dash.
func rankedCell(o greedy.Outcome, budget int) string {
	if e := outcome.RankedAt(o, budget); outcome.Known(e.Value) {
		return outcome.CountCell(e)
	}
	return "–"
}

// classifierCell is TP_A, or a dash without an attack.
func classifierCell(o greedy.Outcome) string {
	if !outcome.Attacked(o) {
		return "–"
	}
	return outcome.CountCell(o.Attack.Classifier)
}

// comparedCell is a figure of a run at an L/C, or a dash where it has none.
func comparedCell(r *sanitize.Run, lc float64, figure func(greedy.Outcome) string) string {
	c := outcome.At(r, lc)
	if !outcome.HasFigures(c) {
		return "–"
	}
	return figure(c.Outcome.Unseen())
}

// stateWords are the state of a run.
func stateWords(r sanitize.Run) string {
	switch r.State {
	case sanitize.Running:
		return "running"
	case sanitize.Finished:
		return "finished " + ui.Moment(r.Ended)
	case sanitize.Cancelled:
		return "cancelled " + ui.Moment(r.Ended)
	case sanitize.Interrupted:
		return "interrupted: hide was stopped while it ran"
	default:
		return "failed"
	}
}

// leakScore: "31.0 %". No model excludes a word, so a score is never shown as 0.
func leakScore(score float64) string {
	if score < 0.001 {
		return "below 0.1 %"
	}
	return words.Percent(score)
}

// thresholdCell is the threshold of a round.
func thresholdCell(r greedy.Round) string {
	if r.Hard {
		return "hard labels"
	}
	return strconv.FormatFloat(r.Threshold, 'f', 3, 64)
}

// runName: "run 3", or "run 3, no detector" when people have named it.
func runName(r *sanitize.Run) string {
	name := "run " + strconv.Itoa(r.Number)
	if r.Name != "" {
		name += ", " + r.Name
	}
	return name
}

// sentenceName is runName at the start of a line.
func sentenceName(r sanitize.Run) string { return "R" + runName(&r)[1:] }

// titleWords: "hide's default, crf and bayes, 216 notes; a missed PATIENT is 3 times as
// bad".
func titleWords(r *sanitize.Run) string {
	words := modeWords(r.Params.Mode)
	if l := r.Params.Learners; len(l) > 0 && !slices.Equal(l, []string{"crf"}) {
		words += ", " + ui.Listed(l)
	}
	if w := r.Params.WithoutParts; len(w) > 0 {
		words += ", detector without " + ui.Listed(w)
	}
	if !r.Params.Sampling.Everything() {
		words += ", trained on " + ui.SamplingWords(r.Params.Sampling)
	}
	words += ", " + ui.Count(r.Documents, "note", "notes")
	if r.Measured > 0 && r.Measured < r.Documents {
		words += " (figures from the " + ui.Number(r.Measured) + " of the random sample)"
	}
	if only := r.Params.CountedWords(); only != "" {
		words += "; counts only " + only
	}
	for _, costs := range []string{lossWords(r.Params), priceWords(r.Params)} {
		if costs != "" {
			words += "; " + costs
		}
	}
	if c := r.Params.Context; c != nil && c.Redact {
		words += "; contextual identifiers are sensitive"
	}
	return words
}

// itemWords is a run in the list of runs.
func itemWords(r *sanitize.Run) string {
	words := fmt.Sprintf("%s, %s, by %s, %s", titleWords(r), ui.Moment(r.Started), r.By, r.State)
	if chosen := r.ChosenWords(); chosen != "" {
		words += ", " + chosen + " chosen"
	}
	if r.Forgotten {
		words += ", too old to be used"
	}
	return words
}

// lossWords: "a missed PATIENT is 3 times as bad, a missed DATE is half as bad"; "" when
// all losses are equal.
func lossWords(p sanitize.Params) string {
	var words []string
	for _, l := range slices.Sorted(maps.Keys(p.LossByLabel)) {
		words = append(words, "a missed "+string(l)+" "+leakCosts(p.LossByLabel[l]))
	}
	return strings.Join(words, ", ")
}

// leakCosts: "is twice as bad". A label with loss 0 is still counted, and redacted where
// it is found.
func leakCosts(times float64) string {
	switch times {
	case 0:
		return "costs nothing"
	case 1:
		return "is as bad as any"
	case 0.5:
		return "is half as bad"
	case 2:
		return "is twice as bad"
	default:
		return "is " + ui.Ratio(times) + " times as bad"
	}
}

// firstWords are about figures from the first round only.
func firstWords(running bool, lc float64) string {
	words := "First figures of L/C " + ui.Ratio(lc) + ": what remains after the first round. "
	if running {
		return words + "No attack has been made yet. Attacks, further rounds and the no-profitable-attack check will follow."
	}
	return words + "The run ended before the first attack."
}

// asked lists the settings of a run in the words of the form.
func asked(p sanitize.Params) []option.Said {
	said := sanitize.StoredOptions.Describe(&p)
	if p.Transfer != "" {
		said = append(said, option.Said{Name: "transfer", Label: "The transfer attacker trains on", Text: "project " + string(p.Transfer)})
	}
	return said
}

// modeWords name a mode for people.
func modeWords(m greedy.Mode) string {
	for _, c := range sanitize.Modes {
		if c.Value == string(m) {
			return c.Words()
		}
	}
	return sanitize.Modes[0].Words() // of runs without a mode
}
