// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"

	"hide/internal/annotate"
)

// given is a span as a file has it, in the unit of the file.
type given struct {
	start, end annotate.RuneOff
	label      annotate.Label
	surface    *string // its words; nil if the file does not have them
	place      place   // empty for the record's
}

// unit is a way to count the characters of a text.
type unit struct {
	words string // of a remark; "" for code points, which need none
	// points maps counts in this unit to code points. A count that is in no text, or inside a
	// character, is missing.
	points func(text string, counts []annotate.RuneOff) map[annotate.RuneOff]annotate.RuneOff
}

var (
	codePoints = unit{}
	utf16Units = unit{"with positions that count UTF-16 units; they were converted", fromUTF16}
)

// fromUTF16 reads the text once for all counts.
func fromUTF16(text string, counts []annotate.RuneOff) map[annotate.RuneOff]annotate.RuneOff {
	counts = slices.Compact(slices.Sorted(slices.Values(counts)))
	points := make(map[annotate.RuneOff]annotate.RuneOff, len(counts))
	var units, runes annotate.RuneOff
	next := 0
	reach := func() {
		for next < len(counts) && counts[next] <= units {
			if counts[next] == units {
				points[units] = runes
			}
			next++
		}
	}
	reach()
	for _, r := range text {
		units++
		if r > 0xffff {
			units++
		}
		runes++
		reach()
	}
	return points
}

// spansIn makes spans of what a file gives, with the first of the units in which all of them
// fit the text and their words.
func (r *reader) spansIn(text string, all []given, units ...unit) ([]annotate.Span, *Problem) {
	var first *Problem
	for _, u := range units {
		list, p := u.fit(text, all)
		if p == nil {
			if u.words != "" && len(units) > 1 {
				r.remarks.add(1, "text", u.words)
			}
			spans, dropped, p := list.finish()
			r.remarks.add(dropped, "span", droppedSpans)
			return spans, p
		}
		if first == nil {
			first = p
		}
	}
	return nil, first
}

func (u unit) fit(text string, all []given) (*spanList, *Problem) {
	list := newSpanList(text)
	var points map[annotate.RuneOff]annotate.RuneOff
	if u.points != nil {
		var counts []annotate.RuneOff
		for _, g := range all {
			counts = append(counts, g.start, g.end)
		}
		points = u.points(text, counts)
	}
	for _, g := range all {
		p := u.add(list, points, g)
		if p != nil && g.place != (place{}) {
			p = p.at(g.place)
		}
		if p != nil {
			return nil, p
		}
	}
	return list, nil
}

func (u unit) add(list *spanList, points map[annotate.RuneOff]annotate.RuneOff, g given) *Problem {
	start, end := g.start, g.end
	if points != nil {
		var found, foundToo bool
		start, found = points[g.start]
		end, foundToo = points[g.end]
		if !found || !foundToo {
			return spanRange("a position that is outside the text or inside a character", list.offsets.Runes())
		}
	}
	s, p := list.add(start, end, g.label)
	if p == nil && g.surface != nil && unspaced(s.Surface(list.text)) != unspaced(*g.surface) {
		p = surfaceDiffers(*g.surface, s)
	}
	return p
}

// unspaced is s without white space, written or escaped: programs fold the line breaks and
// runs of spaces of a surface, or write \n for them.
func unspaced(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer(`\n`, " ", `\r`, " ", `\t`, " ").Replace(s)), "")
}
