// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// Prices are C_k/C by kind of word: the cost of redacting a token of kind k that is not
// sensitive, as a multiple of C. A kind that is not in it costs C. They concern only the
// publisher: no attacker's utility contains them.
type Prices map[WordKind]float64

// MaxTimes is the largest multiple of L or C that can be asked for, and 1/MaxTimes
// the smallest of C.
const MaxTimes = 1000

// Of is C_k/C of a token with this surface.
func (p Prices) Of(word string) float64 {
	if len(p) == 0 {
		return 1
	}
	if c, set := p[KindOf(word)]; set {
		return c
	}
	return 1
}

// Check refuses invalid prices. The error names a kind, never a word.
func (p Prices) Check() error {
	for _, k := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains(WordKinds(), k) {
			return fmt.Errorf("unknown kind of word %q; kinds are %s, %s, %s and %s", string(k), Punctuation, Number, CommonWord, OtherWord)
		}
		if c := p[k]; !(c >= 1.0/MaxTimes && c <= MaxTimes) {
			return fmt.Errorf("%s: the multiple of C is %g; it must be at least %g and at most %d", k, c, 1.0/MaxTimes, MaxTimes)
		}
	}
	return nil
}

// Unusual is p without kinds that cost C anyway; nil if nothing else is left.
func (p Prices) Unusual() Prices {
	var out Prices
	for k, c := range p {
		if c == 1 {
			continue
		}
		if out == nil {
			out = Prices{}
		}
		out[k] = c
	}
	return out
}

// priced are scores whose odds are divided by the price of the word:
//
//	p/(p + C_k*(1-p)), with odds p/((1-p)*C_k).
//
// A threshold t on them marks a token if its odds are at least C_k*t/(1-t). With
// calibrated scores the expected cost is L*p for publishing a token and C_k*(1-p) for
// redacting it, so t = 1/(1+L/C) marks what is cheaper to redact, and no rule has a
// smaller expected loss. Without prices they are the scores themselves.
func (p Prices) priced(words []string, scores []float64) []float64 {
	if len(p) == 0 {
		return scores
	}
	out := make([]float64, len(scores))
	for x, s := range scores {
		out[x] = s
		if c := p.Of(words[x]); c != 1 {
			out[x] = s / (s + c*(1-s))
		}
	}
	return out
}

// pricedAll are the scores of all documents.
func (p Prices) pricedAll(docs []annotate.Note, scores [][]float64) [][]float64 {
	if len(p) == 0 {
		return scores
	}
	out := make([][]float64, len(scores))
	for i, s := range scores {
		out[i] = p.priced(docs[i].Words, s)
	}
	return out
}

// Informative reports whether a readable word tells a reader something: it has a letter
// or a digit, and is not a common word or name particle in lower case. "de" and "," say
// nothing about their neighbours; "De" and "4" may.
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

// WordKind is a class of words by surface alone. Unlike the category of a sensitive token
// it is known for every token before training.
type WordKind string

// The kinds of words. Names are stored: do not change them.
const (
	Punctuation WordKind = "punctuation" // neither letter nor digit
	Number      WordKind = "number"      // begins with a digit: 12, 5mg
	CommonWord  WordKind = "common"      // of the program's lists of common words and particles of names, in lower case or not
	OtherWord   WordKind = "other"       // the rest, most of a text
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
