// SPDX-License-Identifier: Apache-2.0

package transform

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

//go:embed eponyms.txt
var eponyms string

// usualWords are words that a note holds for other reasons than to name somebody: common
// words, medical eponyms, months, kinds of places.
var usualWords = sync.OnceValue(func() map[string]bool {
	set := wordSet("words", "common", "months", "weekdays", "titles", "credentials", "kin", "particles", "hospital",
		"streets", "organisations", "professions", "demonyms", "countries", "states", "ages", "records")
	for line := range strings.Lines(eponyms) {
		if !strings.HasPrefix(line, "#") {
			set[dictionary.Fold(strings.TrimSpace(line))] = true
		}
	}
	return set
})

// isNameWord reports whether a word alone leads to somebody: at least four letters, a capital
// in front, and no usual word. A shorter word, such as "Li", must have small letters, because
// short words in capitals are abbreviations more often than names.
func isNameWord(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	letters := count(word, unicode.IsLetter)
	long := letters >= 4 || letters >= 2 && count(word[size:], unicode.IsLower) == letters-1
	return long && !unicode.IsLower(first) && !usualWords()[dictionary.Fold(word)]
}

// count is the number of characters in text that are of a kind.
func count(text string, kind func(rune) bool) int {
	n := 0
	for _, r := range text {
		if kind(r) {
			n++
		}
	}
	return n
}

// kindWords give the kind of a place or thing, or the rank of a person. A replacement can
// have them as the original has.
var kindWords = sync.OnceValue(func() map[string]bool {
	set := wordSet("streets", "hospital", "organisations", "titles", "credentials", "particles", "kin", "records", "common")
	for word := range strings.FieldsSeq(moreKinds) {
		set[word] = true
	}
	return set
})

// moreKinds are the parts of addresses in the network that are free for examples, and kinds of
// places that the lists lack.
const moreKinds = `http https ftp www com org net edu gov info htm html php pdf mailto example 2001
	lake river mount park beach island bridge church sons brothers daughters partners north south east west`

// namesNobody reports whether the words of a person are no name: words of kinship in small
// letters, as in "su madre" and "father, 64".
func namesNobody(text string) bool {
	kin := false
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !annotate.WordRune(r) }) {
		if startsUpper(word) {
			return false
		}
		kin = kin || kinship()[dictionary.Fold(word)] || unicode.IsDigit(rune(word[0]))
	}
	return kin
}

var kinship = sync.OnceValue(func() map[string]bool {
	set := wordSet("kin")
	for word := range strings.FieldsSeq("parents family relatives caregiver padres familia familiar familiares famille parents proches familie") {
		set[word] = true
	}
	return set
})

// wordSet is the set of the words of built-in lists, folded.
func wordSet(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for _, term := range dictionary.Terms(list) {
			for _, word := range strings.FieldsFunc(dictionary.Fold(term), func(r rune) bool { return !annotate.WordRune(r) }) {
				set[word] = true
			}
		}
	}
	return set
}
