// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"strings"
	"sync"

	"hide/internal/annotate/dictionary"
	"hide/internal/publish/link/compare"
	"hide/internal/publish/personname"
)

// lexicon has the folded names that the program knows.
type lexicon struct{ given, surnames, cities map[string]bool }

var known = sync.OnceValue(func() lexicon {
	l := lexicon{given: terms("given"), surnames: terms("surnames"), cities: terms("cities")}
	for _, forms := range personname.ShortForms() {
		for _, form := range forms {
			l.given[form] = true
		}
	}
	return l
})

func terms(list string) map[string]bool {
	m := map[string]bool{}
	for _, t := range dictionary.Terms(list) {
		m[compare.Text.Clean(t)] = true
	}
	return m
}

// isPlaces counts known cities, unless the column has given names: Paris and Florence are both.
func isPlaces(v *values) tally {
	if v.share(isGiven).atLeast(50) {
		return tally{of: len(v.sample)}
	}
	return v.share(func(s string) bool { return known().cities[compare.Text.Clean(s)] })
}

// isGiven and isSurname report whether the first word of a value is a known name.
func isGiven(s string) bool { return known().given[firstWord(s)] }

func isSurname(s string) bool {
	clean := compare.Surname.Clean(s)
	return known().surnames[clean] || known().surnames[firstWord(s)]
}

func firstWord(s string) string {
	first, _, _ := strings.Cut(compare.Surname.Clean(s), " ")
	return first
}

// isFullName reports whether a value has a known given name and another known name.
func isFullName(s string) bool {
	parts := strings.Fields(compare.Surname.Clean(s))
	if len(parts) < 2 || len(parts) > 6 || digitCount(s) > 0 {
		return false
	}
	l := known()
	given, names := 0, 0
	for _, w := range parts {
		if l.given[w] {
			given++
		}
		if l.given[w] || l.surnames[w] {
			names++
		}
	}
	return given > 0 && names > 1
}

// isWords reports whether a value has two words or more.
func isWords(s string) bool { return strings.Contains(compare.Surname.Clean(s), " ") }
