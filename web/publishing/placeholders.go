// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"hide/internal/chart"
	"hide/internal/project/release"
	"hide/web/ui"
)

// LabelCount is how many placeholders of a label a release holds.
type LabelCount struct {
	Label string
	N     int
}

// LabelCounts lists a release's placeholders, most first.
func LabelCounts(r release.Release) []LabelCount {
	var out []LabelCount
	for _, l := range slices.Sorted(maps.Keys(r.Redacted)) {
		out = append(out, LabelCount{l, r.Redacted[l]})
	}
	slices.SortStableFunc(out, func(a, b LabelCount) int { return cmp.Compare(b.N, a.N) })
	return out
}

// RedactedWords: "1,204 placeholders: 420 DATE, 301 DOCTOR and 6 more kinds".
func RedactedWords(r release.Release) string {
	counts := LabelCounts(r)
	total := 0
	for _, c := range counts {
		total += max(c.N, 0)
	}
	var named []string
	for _, c := range counts[:min(3, len(counts))] {
		named = append(named, ui.Number(c.N)+" "+c.Label)
	}
	text := ui.Count(total, "placeholder", "placeholders")
	if len(named) > 0 {
		text += ": " + strings.Join(named, ", ")
	}
	if more := len(counts) - len(named); more > 0 {
		text += " and " + ui.Count(more, "more kind", "more kinds")
	}
	return text
}

// LabelBars are a release's placeholders by label, most first.
func LabelBars(id, title string, counts []LabelCount) *chart.Bars {
	b := chart.NewBars(id, title)
	most := 1
	for _, c := range counts {
		most = max(most, c.N)
	}
	for _, c := range counts {
		b.Add(c.Label, ui.Number(c.N), float64(chart.BarLength)*float64(max(c.N, 0))/float64(most))
	}
	return b
}
