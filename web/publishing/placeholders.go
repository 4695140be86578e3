// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/web/ui"
)

// LabelCount is the number of placeholders with one label.
type LabelCount struct {
	Label string
	N     int
}

// LabelCounts counts the placeholders of a release by label, most frequent first.
func LabelCounts(r release.Release) []LabelCount {
	var out []LabelCount
	for _, l := range slices.Sorted(maps.Keys(r.Redacted)) {
		out = append(out, LabelCount{l, r.Redacted[l]})
	}
	slices.SortStableFunc(out, func(a, b LabelCount) int { return cmp.Compare(b.N, a.N) })
	return out
}

// KnownWords say how many known identifiers a release shows, "" if none is known.
func KnownWords(r release.Release) string {
	if r.Known.Found == 0 {
		return ""
	}
	return ui.Capitalized(r.Known.Words()) + "."
}

// RedactedWords counts the placeholders of a release: "3,402 placeholders: 1,410 DATE, 822 DOCTOR, 611 PATIENT and 5 more labels".
// A release by a policy has generalized values too, so it counts what was replaced visibly.
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
	if r.Policy != nil {
		text = ui.Count(total, "visible replacement", "visible replacements")
	}
	if len(named) > 0 {
		text += ": " + strings.Join(named, ", ")
	}
	if more := len(counts) - len(named); more > 0 {
		text += " and " + ui.Count(more, "more label", "more labels")
	}
	return text
}

// LabelBars draws counts as bars, the longest for the greatest.
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

// Piece is a stretch of redacted text, or a placeholder when Label is set.
type Piece struct {
	Text  string
	Label annotate.Label
}

// Pieces splits a released text at its placeholders. It ignores places that overlap, are
// out of order or lie outside the text.
func Pieces(d audit.ReleasedText) []Piece {
	text := []rune(d.Text)
	var out []Piece
	done := 0
	for _, r := range d.Redactions {
		start, end := int(r.Start), int(r.End)
		if start < done || end <= start || end > len(text) {
			continue
		}
		if start > done {
			out = append(out, Piece{Text: string(text[done:start])})
		}
		out = append(out, Piece{Text: string(text[start:end]), Label: r.Label})
		done = end
	}
	if done < len(text) {
		out = append(out, Piece{Text: string(text[done:])})
	}
	return out
}
