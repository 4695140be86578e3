// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
)

// likeCase writes a surrogate in the capitals of the original: all, none, or as the list has
// it. The first letter of a term that lists have in small letters follows the original.
func likeCase(original, s string) string {
	upper, lower := 0, 0
	for _, r := range original {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	switch {
	case lower == 0 && upper > 1:
		return strings.ToUpper(s)
	case upper == 0 && lower > 0:
		return strings.ToLower(s)
	case startsUpper(original):
		return title(s)
	}
	return s
}

func startsUpper(s string) bool {
	i := strings.IndexFunc(s, unicode.IsLetter)
	if i < 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsUpper(r)
}

// title writes the first letter as a capital.
func title(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// token is a run of letters, digits and apostrophes, or what stands between two.
type token struct {
	text string
	word bool
}

// tokens cuts a text into words and what stands between them.
func tokens(text string) []token {
	var out []token
	runes := []rune(text)
	for i := 0; i < len(runes); {
		j := i
		for j < len(runes) && inWord(runes, j) == inWord(runes, i) {
			j++
		}
		out = append(out, token{string(runes[i:j]), inWord(runes, i)})
		i = j
	}
	return out
}

func inWord(runes []rune, i int) bool {
	r := runes[i]
	if r == '\'' || r == '’' {
		return i > 0 && i+1 < len(runes) && unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i+1])
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == 'º' || r == 'ª'
}

func hasDigit(s string) bool  { return strings.IndexFunc(s, unicode.IsDigit) >= 0 }
func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// isShort reports whether a text looks like the short form of an institution: a few letters
// that are no word and no name, and not written as a name, as "Kaas" is.
func isShort(s string) bool {
	f, n := squash(s), utf8.RuneCountInString(s)
	switch {
	case !isCompact(s) || n < 2 || n > 7 || n > 5 && strings.ContainsAny(f, "aeiou"):
		return false
	case strings.ToUpper(s) == s:
		return !knownNames()[f] || n < 4
	}
	return strings.ToLower(s) == s && !knownNames()[f] && !usualWords()[f]
}

// isCompact reports whether a text has only letters and the signs within short forms.
func isCompact(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' && r != '&' && r != '-' })
}

// knownNames are the folded names and surnames of the dictionary.
var knownNames = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, list := range []string{"surnames", "given"} {
		for _, name := range dictionary.Terms(list) {
			set[dictionary.Fold(name)] = true
		}
	}
	return set
})

// initials are the first letters of the words of a text without particles, in capitals.
func initials(text string) string {
	var b strings.Builder
	for _, t := range tokens(text) {
		if !t.word || joins[dictionary.Fold(t.text)] != 0 {
			continue
		}
		r, _ := utf8.DecodeRuneInString(t.text)
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}
