// SPDX-License-Identifier: Apache-2.0

package web

import (
	"slices"
	"strings"

	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

// wordKind is a kind of word as the start form and the results call it.
type wordKind struct {
	kind              greedy.WordKind
	title, what, lost string
}

var wordKinds = []wordKind{
	{greedy.Punctuation, "punctuation", "signs", "a lost sign"},
	{greedy.Number, "numbers", "12, 5mg", "a lost number"},
	{greedy.CommonWord, "common words", "the, für, de", "a lost common word"},
	{greedy.OtherWord, "other words", "most of what a note says", "any other lost word"},
}

// wordKindOf is how a kind is called.
func wordKindOf(k greedy.WordKind) wordKind {
	if i := slices.IndexFunc(wordKinds, func(w wordKind) bool { return w.kind == k }); i >= 0 {
		return wordKinds[i]
	}
	return wordKind{kind: k, title: string(k)}
}

// priceWords: "a lost sign costs 0.2 times as much, a lost number costs twice as much";
// "" when all cost as much as each other.
func priceWords(p sanitize.Params) string {
	var words []string
	for _, w := range wordKinds {
		if times, set := p.CostByKind[w.kind]; set && times != 1 {
			words = append(words, w.lost+" costs "+muchWords(times))
		}
	}
	return strings.Join(words, ", ")
}

func muchWords(times float64) string {
	switch times {
	case 0.5:
		return "half as much"
	case 2:
		return "twice as much"
	}
	return formatRatio(times) + " times as much"
}

// lostTimes says what a lost word of a kind costs, where that is unusual.
func lostTimes(p sanitize.Params, k greedy.WordKind) string {
	if times, set := p.CostByKind[k]; set && times != 1 {
		return muchWords(times)
	}
	return ""
}
