// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"hide/internal/annotate/dictionary"
	"strings"
	"sync"
)

// Informative reports whether a word that stays tells a reader something: it has
// a letter or a digit, and is not written in lower case and among the common
// words and particles of names. "de" and "," say nothing of whom they stand by;
// "De" and "4" may.
func Informative(word string) bool {
	return legible(word) && !closedClass()[word]
}

// closedClass are the lower-case words of the lists of common words and particles.
var closedClass = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, list := range []string{"common", "particles"} {
		for _, term := range dictionary.Terms(list) {
			if term == strings.ToLower(term) {
				words[term] = true
			}
		}
	}
	return words
})
