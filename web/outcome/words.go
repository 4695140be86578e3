// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"fmt"
	"math"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
	"hide/internal/words"
	"hide/web/ui"
)

// RemainingWords: "7 of 980 identifiers in 216 notes would stay readable, upper bound 15."
func RemainingWords(p sanitize.Params, o greedy.Outcome) string {
	of := ""
	if o.Identifiers > 0 {
		of = " of " + ui.Number(o.Identifiers)
	}
	return words.Amount(o.IdentifiersMissed.Value) + of + " " + identifierWords(p, o) + inNotes(o) +
		" would stay readable" + UpperBoundWords(o.IdentifiersMissed) + "."
}

// identifierWords: "identifiers"; of a run that counts only some labels, "FAX and PHONE", or
// "identifiers of 5 labels" where they are many.
func identifierWords(p sanitize.Params, o greedy.Outcome) string {
	noun := "identifiers"
	if o.Identifiers == 1 || o.Identifiers == 0 && o.IdentifiersMissed.Value == 1 {
		noun = "identifier"
	}
	switch all := p.Counted(); {
	case all == nil:
		return noun
	case len(all) > sanitize.FewKinds:
		return noun + " of " + p.CountedWords()
	}
	return p.CountedWords()
}

// inNotes: " in 216 notes", or nothing of an outcome that does not know.
func inNotes(o greedy.Outcome) string {
	if o.Documents == 0 {
		return ""
	}
	return " in " + ui.Count(o.Documents, "note", "notes")
}

// PlacesWords: "That is 9 of 1,204 sensitive words, in 5 of 216 notes, upper bound 11."
func PlacesWords(o greedy.Outcome) string {
	return fmt.Sprintf("That is %s of %s sensitive words%s, in %s of %s notes%s.",
		words.Amount(o.Residual.Value), ui.Number(o.Sensitive), UpperBoundWords(o.Residual),
		words.Amount(o.DocumentsWithLeak.Value), ui.Number(o.Documents), UpperBoundWords(o.DocumentsWithLeak))
}

// KeptWords: "96.0 % of non-PHI words are kept [95.4–96.5]."
func KeptWords(o greedy.Outcome) string {
	return words.Percent(o.NonsensitiveKept.Value) + " of non-PHI words are kept" + chart.Bracket(o.NonsensitiveKept, words.OneDecimal) + "."
}

// RemovedWords: "612 of 15,313 non-PHI words would be redacted, upper bound 700."
func RemovedWords(o greedy.Outcome) string {
	return fmt.Sprintf("%s of %s non-PHI words would be redacted%s.", words.Amount(o.FalsePositives.Value), ui.Number(o.Tokens-o.Sensitive), UpperBoundWords(o.FalsePositives))
}

// RankedWords: "An attacker who inspects the 1,000 most suspicious of 14,334 published
// words finds 7 of the sensitive words, upper bound 12; reading as many at random finds 0.5."
func RankedWords(o greedy.Outcome, budget int) string {
	e := RankedAt(o, budget)
	if !Known(e.Value) {
		return "The ranked attacker has not been run with " + ui.Number(budget) + " words."
	}
	size := publishedWords(o)
	if size == 0 {
		return "Every word is redacted: there is nothing to inspect, and an attacker finds 0."
	}
	inspects := fmt.Sprintf("the %s most suspicious of %s published words", ui.Number(budget), ui.Number(size))
	if budget >= size {
		inspects = fmt.Sprintf("all %s published words", ui.Number(size))
	}
	return fmt.Sprintf("An attacker who inspects %s finds %s of the sensitive words%s; reading as many at random finds %s.",
		inspects, words.Amount(e.Value), UpperBoundWords(e), words.Amount(AtRandom(o, budget)))
}

// ClassifierWords is about the papers' attacker, who inspects only the words that the best
// classifier marks.
func ClassifierWords(o greedy.Outcome) string {
	return "The papers' attacker, who uses the hard labels of the best classifier, finds " +
		words.Amount(o.Attack.Classifier.Value) + UpperBoundWords(o.Attack.Classifier) + "."
}

// Attacked reports whether an attack on the outcome was made.
func Attacked(o greedy.Outcome) bool {
	return o.Attack.Ranked != nil || o.Attack.Classifier != greedy.Estimate{}
}

// publishedWords is |P(H)|.
func publishedWords(o greedy.Outcome) int {
	n := o.PublishedRatio.Value * float64(o.Tokens)
	if !Known(n) {
		return 0
	}
	return int(n + 0.5)
}

// UpperBoundWords: ", upper bound 15", or nothing without a bound.
func UpperBoundWords(e greedy.Estimate) string {
	if bound := upperBound(e); bound != "" {
		return ", upper bound " + bound
	}
	return ""
}

// upperBound: "15", rounded up, or "" without a bound.
func upperBound(e greedy.Estimate) string {
	if !Known(e.AtMost) || e.AtMost <= 0 || e.AtMost < e.Value {
		return ""
	}
	return words.Amount(math.Ceil(e.AtMost))
}

// CountCell is an estimate in a table of counts: "7 [3–15]".
func CountCell(e greedy.Estimate) string {
	return words.Amount(e.Value) + chart.Bracket(e, words.Amount)
}

// UpperBoundCell is the upper bound, rounded up, or a dash without one.
func UpperBoundCell(e greedy.Estimate) string {
	if bound := upperBound(e); bound != "" {
		return bound
	}
	return "–"
}

// Known reports whether a figure was measured.
func Known(v float64) bool { return words.Finite(v) }
