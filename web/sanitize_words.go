// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

// leftWords: "7 of 980 names in 216 notes would stay readable, at most 15."
func leftWords(p sanitize.Params, o greedy.Outcome) string {
	of := ""
	if o.Names > 0 {
		of = " of " + number(o.Names)
	}
	return formatCount(o.NamesLeft.Value) + of + " " + countedNames(p, o) + inNotes(o) +
		" would stay readable" + atMost(o.NamesLeft) + "."
}

// countedNames: "names"; of a run that counts some kinds alone, "FAX and PHONE", or
// "names of 5 kinds" where they are many.
func countedNames(p sanitize.Params, o greedy.Outcome) string {
	names := nameWord(o.NamesLeft.Value, o.Names, "name", "names")
	switch all := p.Counted(); {
	case all == nil:
		return names
	case len(all) > sanitize.FewKinds:
		return names + " of " + p.CountedWords()
	}
	return p.CountedWords()
}

// inNotes: " in 216 notes", or nothing of an outcome that does not know.
func inNotes(o greedy.Outcome) string {
	if o.Documents == 0 {
		return ""
	}
	return " in " + count(o.Documents, "note", "notes")
}

// placesWords: "That is 9 of 1,204 sensitive words, in 5 of 216 documents, at most 11."
func placesWords(o greedy.Outcome) string {
	return fmt.Sprintf("That is %s of %s sensitive words%s, in %s of %s documents%s.",
		formatCount(o.Residual.Value), number(o.Sensitive), atMost(o.Residual),
		formatCount(o.DocumentsWithLeak.Value), number(o.Documents), atMost(o.DocumentsWithLeak))
}

// keptWords: "96.0 % of other words are kept [95.4–96.5]."
func keptWords(o greedy.Outcome) string {
	return formatPercent(o.NonsensitiveKept.Value) + " of other words are kept" + chart.Bracket(o.NonsensitiveKept, percentDigits) + "."
}

// goneWords: "612 of 15,313 other words would go, at most 700."
func goneWords(o greedy.Outcome) string {
	return fmt.Sprintf("%s of %s other words would go%s.", formatCount(o.FalsePositives.Value), number(o.Tokens-o.Sensitive), atMost(o.FalsePositives))
}

// rankedWords: "An attacker who inspects the 1,000 likeliest of 14,334
// published words finds 7 of the sensitive ones, at most 12; reading as many at random finds 0.5."
func rankedWords(o greedy.Outcome, budget int) string {
	e := rankedAt(o, budget)
	if !finite(e.Value) {
		return "The ranked attacker has not been run with " + number(budget) + " words."
	}
	size := publishedWords(o)
	if size == 0 {
		return "Every word is redacted: there is nothing to inspect, and an attacker finds 0."
	}
	inspects := fmt.Sprintf("the %s likeliest of %s published words", number(budget), number(size))
	if budget >= size {
		inspects = fmt.Sprintf("all %s published words", number(size))
	}
	return fmt.Sprintf("An attacker who inspects %s finds %s of the sensitive ones%s; reading as many at random finds %s.",
		inspects, formatCount(e.Value), atMost(e), formatCount(atRandom(o, budget)))
}

// rankedBudgets are the budgets of the slider, for sentences about an outcome of the
// ranked attacker; none where that attacker was not asked.
func rankedBudgets(v sanitizeView, o greedy.Outcome) []int {
	if len(outcomeBudgets(o)) == 0 {
		return nil
	}
	return v.budgets()
}

// rankedCell is what the ranked attacker finds, in a table in which others have it.
func rankedCell(o greedy.Outcome, budget int) string {
	if e := rankedAt(o, budget); finite(e.Value) {
		return countCell(e)
	}
	return "–"
}

// classifierWords is about the papers' attacker, who inspects only what the best classifier calls sensitive.
func classifierWords(o greedy.Outcome) string {
	return "One who trusts the hard labels of the best classifier, as in the papers, finds " +
		formatCount(o.Attack.Classifier.Value) + atMost(o.Attack.Classifier) + "."
}

// attacked reports whether anybody has attacked what o publishes.
func attacked(o greedy.Outcome) bool {
	return o.Attack.Ranked != nil || o.Attack.Classifier != greedy.Estimate{}
}

// classifierCell is TP_A, or a dash where nobody has attacked.
func classifierCell(o greedy.Outcome) string {
	if !attacked(o) {
		return "–"
	}
	return countCell(o.Attack.Classifier)
}

// publishedWords is |P(H)|.
func publishedWords(o greedy.Outcome) int {
	n := o.PublishedRatio.Value * float64(o.Tokens)
	if !finite(n) {
		return 0
	}
	return int(n + 0.5)
}

// atMost: ", at most 15", or nothing when there is no such bound.
func atMost(e greedy.Estimate) string {
	if bound := atMostNumber(e); bound != "" {
		return ", at most " + bound
	}
	return ""
}

// atMostNumber: "15", rounded up, or "" when there is no such bound.
func atMostNumber(e greedy.Estimate) string {
	if !finite(e.AtMost) || e.AtMost <= 0 || e.AtMost < e.Value {
		return ""
	}
	return formatCount(math.Ceil(e.AtMost))
}

// countCell is an estimate in a table of counts: "7 [3–15]".
func countCell(e greedy.Estimate) string { return formatCount(e.Value) + chart.Bracket(e, formatCount) }

// comparedCell is a figure of a run at an L/C, or a dash where it has none.
func comparedCell(r *sanitize.Run, lc float64, figure func(greedy.Outcome) string) string {
	c := resultAt(r, lc)
	if !hasFigures(c) {
		return "–"
	}
	return figure(c.Outcome.Unseen())
}

func nameWord(v float64, of int, one, many string) string {
	if (of == 0 && v == 1) || of == 1 {
		return one
	}
	return many
}

// modeWords name a mode for people.
func modeWords(m greedy.Mode) string {
	for _, c := range sanitize.SanitizeModes {
		if c.Value == string(m) {
			return c.Words()
		}
	}
	return sanitize.SanitizeModes[0].Words() // of runs that do not say
}

// stateWords say how a run stands.
func stateWords(r sanitize.Run) string {
	switch r.State {
	case sanitize.Running:
		return "running"
	case sanitize.Finished:
		return "finished " + moment(r.Ended)
	case sanitize.Cancelled:
		return "cancelled " + moment(r.Ended)
	case sanitize.Interrupted:
		return "interrupted: hide was stopped while it ran"
	default:
		return "failed"
	}
}

// shareWords is a progress in per cent, for the progress bar's text.
func shareWords(share float64) string { return percent(min(max(share, 0), 1)) }

// How much text the service gives around a passage, at most.
const around = 40

// contextBefore is the text before a passage; when it was cut, from the next
// word on.
func contextBefore(l project.Excerpt) string {
	text := oneLine(l.Before, around)
	if _, rest, found := strings.Cut(text, " "); found && rest != "" && utf8.RuneCountInString(l.Before) >= around {
		return "… " + rest
	}
	return text
}

// contextAfter is the text after a passage; when it was cut, up to the last
// whole word.
func contextAfter(l project.Excerpt) string {
	text := oneLine(l.After, around)
	if at := strings.LastIndex(text, " "); at > 0 && utf8.RuneCountInString(l.After) >= around {
		return text[:at] + " …"
	}
	return text
}

// leakScore: "31.0 %". Models rule nothing out, so a score is never put as none.
func leakScore(score float64) string {
	if score < 0.001 {
		return "below 0.1 %"
	}
	return formatPercent(score)
}

// thresholdCell is where a round cuts its scores.
func thresholdCell(r greedy.Round) string {
	if r.Hard {
		return "hard labels"
	}
	return strconv.FormatFloat(r.Threshold, 'f', 3, 64)
}
