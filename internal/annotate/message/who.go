// SPDX-License-Identifier: Apache-2.0

package message

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// whoWords are the words of identifiers, in lower case. A code or its name that has one of
// them is not harmless: somebody has typed a name where a code should be.
type whoWords map[string]bool

// wordsOf takes the words of the identifiers that the policy replaces. Places, dates, states
// and countries are left out: codes may have the same words without telling more.
func wordsOf(identities []annotate.Identity, p Policy) whoWords {
	words := whoWords{}
	for _, i := range identities {
		if i.Of == annotate.OfPlace || i.Label == "DATE" || i.Label == "STATE" || i.Label == "COUNTRY" {
			continue
		}
		if _, replaced := p.replacement(i); !replaced {
			continue
		}
		for w := range longWords(i.Value) {
			words[w] = true
		}
	}
	return words
}

func (words whoWords) in(value string) bool {
	for w := range longWords(value) {
		if words[w] {
			return true
		}
	}
	return false
}

// longWords yields the words of a value that are long enough to tell who somebody is, in
// lower case.
func longWords(value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if utf8.RuneCountInString(w) >= 3 && !yield(strings.ToLower(w)) {
				return
			}
		}
	}
}
