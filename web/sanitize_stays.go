// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

// stay is what would stay of one sort of things.
type stay struct {
	what string
	left greedy.Estimate
	of   int
}

// stays are the ways to count what would stay. What was not counted, as in runs of
// earlier versions, and patients where nobody is known, are left out.
func stays(o greedy.Outcome) []stay {
	all := []stay{
		{"names", o.NamesLeft, o.Names},
		{"words", o.Residual, o.Sensitive},
		{"informative words", o.InformativeLeft, o.Informative},
		{"documents", o.DocumentsWithLeak, o.Documents},
		{"patients", o.PatientsWithLeak, o.Patients},
	}
	return slices.DeleteFunc(all, func(s stay) bool {
		return s.of == 0 || s.what == "patients" && o.Patients == o.Documents
	})
}

// mostKinds is how many kinds a page lists.
const mostKinds = 40

// kinds are the categories with most left first, at most mostKinds.
func kinds(o greedy.Outcome) []greedy.Category {
	all := slices.Clone(o.ByLabel)
	slices.SortStableFunc(all, func(a, b greedy.Category) int {
		return cmp.Or(cmp.Compare(b.SpansLeft.Value, a.SpansLeft.Value), cmp.Compare(b.SpansLeft.AtMost, a.SpansLeft.AtMost), cmp.Compare(a.Label, b.Label))
	})
	return all[:min(len(all), mostKinds)]
}

// kindBar is how far the two parts of a category's bar reach, of 100: what is
// expected, and at most. The longest bar of all reaches the end.
func kindBar(all []greedy.Category, c greedy.Category) (expected, atMost float64) {
	longest := 1.0
	for _, other := range all {
		longest = max(longest, reach(other))
	}
	return 100 * c.SpansLeft.Value / longest, 100 * reach(c) / longest
}

func reach(c greedy.Category) float64 {
	if v := max(c.SpansLeft.Value, c.SpansLeft.AtMost); finite(v) {
		return v
	}
	return 0
}

func kindName(l annotate.Label) string { return cmp.Or(string(l), "without a label") }

// kindTimes says how bad a leak of a kind is, where that is unusual.
func kindTimes(p sanitize.Params, l annotate.Label) string {
	if times, set := p.LossByLabel[l]; set && times != 1 {
		return strings.TrimPrefix(leakCosts(times), "is ")
	}
	return ""
}

// atMostCell is the upper end alone, rounded up, or a dash when there is none.
func atMostCell(e greedy.Estimate) string {
	if bound := atMostNumber(e); bound != "" {
		return bound
	}
	return "–"
}
