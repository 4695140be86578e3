// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf/score"
	"hide/internal/words"
)

// entityRow is a line of the table of identifiers.
type entityRow struct {
	Name, Found, Share string
	Total              bool
}

// EntityWords: "21 of 22 direct identifiers and 300 of 341 quasi-identifiers are found in
// every mention."
func EntityWords(p *score.Protection) string {
	var parts []string
	if p.Direct.Entities.Of > 0 {
		parts = append(parts, ofAll(p.Direct.Entities.Count, p.Direct.Entities.Of)+" direct identifiers")
	}
	if p.Quasi.Entities.Of > 0 {
		parts = append(parts, ofAll(p.Quasi.Entities.Count, p.Quasi.Entities.Of)+" quasi-identifiers")
	}
	return strings.Join(parts, " and ") + " are found in every mention."
}

// PrecisionWords: "900 of 1,000 masked words had to be hidden (90.0 %; 91.2 % weighted by
// information)."
func PrecisionWords(p *score.Protection) string {
	if p.Precision.Words.Of == 0 {
		return "No word is masked."
	}
	return fmt.Sprintf("%s masked words had to be hidden (%s; %s weighted by information).",
		ofAll(p.Precision.Words.Count, p.Precision.Words.Of), figure(p.Precision.Words.Share, p.Precision.Words.Interval), words.Percent(p.Precision.Weighted))
}

// entityRows lists identifiers by label, the most frequent first, then all identifiers and
// all mentions, of each type that occurs.
func entityRows(p *score.Protection) []entityRow {
	var rows []entityRow
	for _, kind := range []struct {
		name             string
		entities, places score.Share
		labels           map[annotate.Label]score.Share
	}{
		{"direct", p.Direct.Entities, p.Direct.Mentions, p.Direct.Labels},
		{"quasi", p.Quasi.Entities, p.Quasi.Mentions, p.Quasi.Labels},
	} {
		if kind.entities.Of == 0 {
			continue
		}
		for _, l := range slices.SortedFunc(maps.Keys(kind.labels), func(a, b annotate.Label) int {
			return cmp.Or(cmp.Compare(kind.labels[b].Of, kind.labels[a].Of), cmp.Compare(a, b))
		}) {
			rows = append(rows, newEntityRow(kind.name+", "+string(l), kind.labels[l], false))
		}
		rows = append(rows, newEntityRow("all "+kind.name, kind.entities, true), newEntityRow("mentions of "+kind.name, kind.places, false))
	}
	return rows
}

func newEntityRow(name string, s score.Share, total bool) entityRow {
	return entityRow{name, ofAll(s.Count, s.Of), figure(s.Share, s.Interval), total}
}
