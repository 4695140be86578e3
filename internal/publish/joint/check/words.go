// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"
	"strings"
	"unicode"
)

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

// beside reports whether nothing stands here but words that may.
func beside(s string, around []string) bool {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !inWord(r) }) {
		if !slices.Contains(around, strings.ToLower(word)) {
			return false
		}
	}
	return true
}

// alike reports whether two spellings are of one term, and whether that can be
// told: letters outside ASCII have several forms, which this package does not know.
func alike(a, b string) (same, known bool) {
	for _, s := range []string{a, b} {
		for i := range len(s) {
			if s[i] >= 0x80 {
				return false, false
			}
		}
	}
	return plain(a) == plain(b), true
}

// plain is a spelling in small letters with single blanks, without what is neither
// letter nor digit at its ends.
func plain(s string) string {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	if bare := strings.TrimFunc(s, func(r rune) bool { return !inWord(r) }); bare != "" {
		return bare
	}
	return s
}

// words cuts a text at everything that is in no word.
func words(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return !inWord(r) }) }
