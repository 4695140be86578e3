// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"hide/internal/chart"
	"hide/internal/project/release"
)

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
