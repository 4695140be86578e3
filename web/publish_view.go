// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
)

// publishView is everything the publish page shows.
type publishView struct {
	Project  project.Overview
	Bundles  []sanitize.Bundle // newest first
	Bundle   *sanitize.Bundle  // the one to publish with, or nil
	Outcome  *greedy.Outcome   // its figures, when its run is still there
	Run      *sanitize.Run
	Audit    *audit.Audit       // the newest of the bundle that is read and still holds, or nil
	Open     audit.OpenFindings // what audits found that would be published
	Readable []annotate.Label   // that the bundle leaves readable and that people have used
	Status   release.Status
	Beside   release.Beside
	Releases []release.Release
	Only     release.Kind // what Releases are of; "" for all kinds
	Error    string
}

// unfinished documents are redacted by the bundle alone.
func (v publishView) unfinished() int { return v.Project.Documents - v.Project.Done }

// unaudited reports whether an audit has to come first, and none has.
func (v publishView) unaudited() bool {
	return v.Run != nil && v.Audit == nil && v.unfinished() > 0 && v.Run.AuditNeeded() != ""
}

// readableValue is what a form carries of the labels that it says stay readable.
func (v publishView) readableValue() string {
	words := make([]string, len(v.Readable))
	for i, l := range v.Readable {
		words[i] = string(l)
	}
	return strings.Join(words, ",")
}

// noneWords says that no release exists.
func (v publishView) noneWords() string {
	if v.Only == "" {
		return "Nothing has been published yet."
	}
	return "Nothing of this kind has been published yet."
}

// choose takes the bundle with this number, for "" the newest. It never takes another
// than was asked for: people publish what they see.
func (v *publishView) choose(number string) error {
	at, err := namedOrNewest("bundle", number, v.Bundles, func(b sanitize.Bundle) int { return b.Number })
	if err == nil && len(v.Bundles) > 0 {
		v.Bundle = &v.Bundles[at]
	}
	return err
}

func (v publishView) share() float64 {
	if v.Status.Total <= 0 {
		return 0
	}
	return min(max(float64(v.Status.Done)/float64(v.Status.Total), 0), 1)
}

func (v publishView) shareAttr() string { return strconv.FormatFloat(v.share(), 'f', 3, 64) }

func releaseURL(id project.ID, number int, more string) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/releases/%d%s", number, more))
}

func bundleURL(id project.ID, number int) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/bundles/%d", number))
}

// labelCount is how many placeholders of a label a release holds.
type labelCount struct {
	Label string
	N     int
}

// labelCounts lists a release's placeholders, most first.
func labelCounts(r release.Release) []labelCount {
	var out []labelCount
	for _, l := range slices.Sorted(maps.Keys(r.Redacted)) {
		out = append(out, labelCount{l, r.Redacted[l]})
	}
	slices.SortStableFunc(out, func(a, b labelCount) int { return cmp.Compare(b.N, a.N) })
	return out
}

// redactedWords: "1,204 placeholders: 420 DATE, 301 DOCTOR and 6 more kinds".
func redactedWords(r release.Release) string {
	counts := labelCounts(r)
	total := 0
	for _, c := range counts {
		total += max(c.N, 0)
	}
	var named []string
	for _, c := range counts[:min(3, len(counts))] {
		named = append(named, number(c.N)+" "+c.Label)
	}
	text := count(total, "placeholder", "placeholders")
	if len(named) > 0 {
		text += ": " + strings.Join(named, ", ")
	}
	if more := len(counts) - len(named); more > 0 {
		text += " and " + count(more, "more kind", "more kinds")
	}
	return text
}

// lastBudget is the greatest budget of an outcome's attacker, alone in a list, or
// an empty list.
func lastBudget(o greedy.Outcome) []int {
	all := outcomeBudgets(o)
	return all[max(len(all)-1, 0):]
}

// labelBars are a release's placeholders by label, most first.
func labelBars(id, title string, counts []labelCount) *chart.Bars {
	b := chart.NewBars(id, title)
	most := 1
	for _, c := range counts {
		most = max(most, c.N)
	}
	for _, c := range counts {
		b.Add(c.Label, number(c.N), float64(chart.BarLength)*float64(max(c.N, 0))/float64(most))
	}
	return b
}
