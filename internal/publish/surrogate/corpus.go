// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// Corpus is a set of the real values of all notes of a release. No surrogate is one of them,
// and none has a word of a real person's name. States and countries are an exception: a
// corpus can hold all of them, and none identifies anyone. Add everything first: makers
// read the corpus without locks.
type Corpus struct {
	values map[string]bool // squashed
	names  map[string]bool // folded words of people's names
}

// NewCorpus makes an empty corpus.
func NewCorpus() *Corpus { return &Corpus{values: map[string]bool{}, names: map[string]bool{}} }

// Add adds a real value. label is of the default set.
func (c *Corpus) Add(label annotate.Label, text string) {
	s := squash(text)
	if s == "" {
		return
	}
	c.values[s] = true
	kind, found := KindOf(label)
	switch {
	case label == "PATIENT" || label == "DOCTOR":
		for _, w := range words(text) {
			if utf8.RuneCountInString(w) > 1 && !unidentifying()[w] {
				c.names[w] = true
			}
		}
	case found:
		for _, core := range cores(kind, text) {
			c.values[core] = true
		}
	}
}

// Has reports whether a text is a real value, whatever its case, spaces and punctuation, or
// has a word of a person's name. label is that of the text.
func (c *Corpus) Has(label annotate.Label, text string) bool {
	if label == "STATE" || label == "COUNTRY" {
		return false
	}
	return c.has(text)
}

func (c *Corpus) has(text string) bool {
	if c.values[squash(text)] {
		return true
	}
	for _, w := range words(text) {
		if c.names[w] {
			return true
		}
	}
	return false
}

// unidentifying are words beside names: titles, credentials and particles.
var unidentifying = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, list := range []string{"titles", "credentials", "particles"} {
		for _, term := range dictionary.Terms(list) {
			for _, w := range words(term) {
				set[w] = true
			}
		}
	}
	return set
})

// squash is the canonical form of a value: its folded letters and digits.
func squash(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, dictionary.Fold(text))
}

// words are the folded runs of letters of a text.
func words(text string) []string {
	return strings.FieldsFunc(dictionary.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) })
}
