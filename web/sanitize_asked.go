// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project"
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
	if l := r.Params.Learners; len(l) > 0 && !slices.Equal(l, usualLearners) {
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

// askedFor is one thing that a run was asked for.
type askedFor struct{ what, words string }

// asked says what a run was started with.
func asked(p sanitize.Params, elsewhere []project.Overview) []askedFor {
	out := []askedFor{{"Measured by", modeWords(p.Mode)}}
	if p.Mode == greedy.Default || p.Mode == "" {
		out = append(out, askedFor{"Redacts first", cmp.Or(p.First, firstUsual)})
	}
	learners := p.Learners
	if learners == nil {
		learners = usualLearners
	}
	lcs := make([]string, len(p.LC))
	for i, lc := range p.LC {
		lcs[i] = formatRatio(lc)
	}
	out = append(out, askedFor{"Learners", listed(learners)})
	if len(p.WithoutParts) > 0 {
		out = append(out, askedFor{"Detector without", listed(p.WithoutParts)})
	}
	if attackers := attackerKindWords(p, elsewhere); attackers != "" {
		out = append(out, askedFor{"Other attackers", attackers})
	}
	out = append(out, askedFor{"Attackers label", sanitize.LabelledWords(p.Share) + " of the notes"}, askedFor{"L/C", strings.Join(lcs, ", ")})
	if p.Ceiling > 0 {
		out = append(out, askedFor{"The ranked attacker may find", "at most " + formatPercent(p.Ceiling) + " of the sensitive words"})
	}
	out = append(out, askedFor{"Folds", strconv.Itoa(cmp.Or(p.Folds, 4))})
	sensitive := "all kinds"
	if p.Labels != nil {
		sensitive = listed(p.Labels)
	}
	out = append(out, askedFor{"Sensitive", sensitive})
	if losses := lossWords(p); losses != "" {
		out = append(out, askedFor{"Leaks", losses})
	}
	if prices := priceWords(p); prices != "" {
		out = append(out, askedFor{"Lost words", prices})
	}
	if c := p.Context; c != nil {
		out = append(out, askedFor{"Words beside names", nearWords(*c)})
	}
	if !p.Sampling.Everything() {
		out = append(out, askedFor{"Learnt from", samplingWords(p.Sampling)})
	}
	if p.VC > 0 {
		out = append(out, askedFor{"VC dimension", chart.BoundNumber(p.VC)})
	}
	return out
}

// nearWords: "treat them as sensitive: within 5 words, in 3 notes at least, 5 times as
// often as by chance".
func nearWords(c greedy.Context) string {
	c = c.WithDefaults()
	what := contextChoices[1].text
	if c.Redact {
		what = contextChoices[2].text
	}
	return fmt.Sprintf("%s: within %s, in %s at least, %s times as often as by chance", what, count(c.Window, "word", "words"), count(c.MinSupport, "note", "notes"), formatRatio(c.MinLift))
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
