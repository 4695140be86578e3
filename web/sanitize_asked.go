// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hide/internal/greedy"
	"hide/internal/greedy/settings"
	"hide/internal/option"
	"hide/internal/project/sanitize"
)

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
		words += ", " + listed(l)
	}
	if w := r.Params.WithoutParts; len(w) > 0 {
		words += ", detector without " + listed(w)
	}
	if !r.Params.Sampling.Everything() {
		words += ", learning from " + samplingWords(r.Params.Sampling)
	}
	words += ", " + count(r.Documents, "document", "documents")
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
	words := fmt.Sprintf("%s, %s, by %s, %s", titleWords(r), moment(r.Started), r.By, r.State)
	if r.Chosen > 0 {
		words += ", L/C " + formatRatio(r.Chosen) + " chosen"
	}
	if r.Forgotten {
		words += ", too old to be used"
	}
	return words
}

// asked says what a run was started with, as the form has it.
func asked(p sanitize.Params) []option.Said {
	said := sanitize.StoredOptions.Describe(&p)
	if p.Transfer != "" {
		said = append(said, option.Said{Name: "transfer", Label: "The attacker transfer trains on", Text: "project " + string(p.Transfer)})
	}
	return said
}

// nearWords: "list them: within 5 words, in 3 notes at least, 5 times as often as by
// chance".
func nearWords(c greedy.Context) string {
	c = c.WithDefaults()
	what := settings.ContextChoices[1].Title
	if c.Redact {
		what = settings.ContextChoices[2].Title
	}
	return fmt.Sprintf("%s: within %s, in at least %s, %s times as often as by chance", what, count(c.Window, "word", "words"), count(c.MinSupport, "note", "notes"), formatRatio(c.MinLift))
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
		return "is " + formatRatio(times) + " times as bad"
	}
}
