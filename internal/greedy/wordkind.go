// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WordKind is what can be told of a token by its surface alone. Unlike the category
// of a sensitive token it is known of every token before anything is learnt.
type WordKind string

// The kinds of words. Names are stored: do not change them.
const (
	Punctuation WordKind = "punctuation" // neither letter nor digit
	Number      WordKind = "number"      // begins with a digit: 12, 5mg
	CommonWord  WordKind = "common"      // of the program's lists of common words and particles of names, in lower case or not
	OtherWord   WordKind = "other"       // the rest, most of what a text says
)

// WordKinds are all of them.
func WordKinds() []WordKind { return []WordKind{Punctuation, Number, CommonWord, OtherWord} }

// KindOf is the kind of a token with this surface.
func KindOf(word string) WordKind {
	switch first, _ := utf8.DecodeRuneInString(word); {
	case unicode.IsNumber(first):
		return Number
	case !legible(word):
		return Punctuation
	case closedClass()[strings.ToLower(word)]:
		return CommonWord
	}
	return OtherWord
}

// legible reports whether a word has a letter or a digit.
func legible(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
