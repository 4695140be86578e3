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

// rankedBudgets are the budgets of the slider, for sentences about an outcome of the
// ranked attacker; none where that attacker was not asked.
func rankedBudgets(v view, o greedy.Outcome) []int {
	if len(outcome.Budgets(o)) == 0 {
		return nil
	}
	return v.budgets()
}

// rankedCell is what the ranked attacker finds, in a table in which others have it.
func rankedCell(o greedy.Outcome, budget int) string {
	if e := outcome.RankedAt(o, budget); outcome.Known(e.Value) {
		return outcome.CountCell(e)
	}
	return "–"
}

// classifierCell is TP_A, or a dash where nobody has attacked.
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

// stateWords say how a run stands.
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

// leakScore: "31.0 %". Models rule nothing out, so a score is never put as none.
func leakScore(score float64) string {
	if score < 0.001 {
		return "below 0.1 %"
	}
	return words.Percent(score)
}

// thresholdCell is where a round cuts its scores.
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

// titleWords: "hide's default, crf and bayes, 216 documents; a leaked PATIENT is 3
// times as bad".
func titleWords(r *sanitize.Run) string {
	words := modeWords(r.Params.Mode)
	if l := r.Params.Learners; len(l) > 0 && !slices.Equal(l, []string{"crf"}) {
		words += ", " + ui.Listed(l)
	}
	if w := r.Params.WithoutParts; len(w) > 0 {
		words += ", detector without " + ui.Listed(w)
	}
	if !r.Params.Sampling.Everything() {
		words += ", learning from " + ui.SamplingWords(r.Params.Sampling)
	}
	words += ", " + ui.Count(r.Documents, "document", "documents")
	if only := r.Params.CountedWords(); only != "" {
		words += "; counts only " + only
	}
	for _, costs := range []string{lossWords(r.Params), priceWords(r.Params)} {
		if costs != "" {
			words += "; " + costs
		}
	}
	if c := r.Params.Context; c != nil && c.Redact {
		words += "; words that give somebody away are sensitive"
	}
	return words
}

// itemWords is a run in the list of runs.
func itemWords(r *sanitize.Run) string {
	words := fmt.Sprintf("%s, %s, by %s, %s", titleWords(r), ui.Moment(r.Started), r.By, r.State)
	if r.Chosen > 0 {
		words += ", L/C " + ui.Ratio(r.Chosen) + " chosen"
	}
	if r.Forgotten {
		words += ", too old to be used"
	}
	return words
}

// lossWords: "a leaked PATIENT is 3 times as bad, a leaked DATE half as bad"; ""
// when all are as bad as each other.
func lossWords(p sanitize.Params) string {
	var words []string
	for _, l := range slices.Sorted(maps.Keys(p.LossByLabel)) {
		words = append(words, "a leaked "+string(l)+" "+leakCosts(p.LossByLabel[l]))
	}
	return strings.Join(words, ", ")
}

// leakCosts: "is twice as bad". What costs nothing is counted and, where it is found
// with the rest, redacted all the same.
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

// firstWords say what figures are worth that no round has confirmed.
func firstWords(running bool, lc float64) string {
	words := "First figures of L/C " + ui.Ratio(lc) + ": what the first round leaves. "
	if running {
		return words + "Nobody has attacked it yet. The attacks, further rounds and the certificate follow as the run gets there."
	}
	return words + "The run ended before anybody attacked it."
}

// asked says what a run was started with, as the form has it.
func asked(p sanitize.Params) []option.Said {
	said := sanitize.StoredOptions.Describe(&p)
	if p.Transfer != "" {
		said = append(said, option.Said{Name: "transfer", Label: "The attacker transfer trains on", Text: "project " + string(p.Transfer)})
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
	return sanitize.Modes[0].Words() // of runs that do not say
}
