// SPDX-License-Identifier: Apache-2.0

package score

import (
	"strings"
	"unicode"

	"hide/internal/annotate"
)

// use is how often documents have a word, or a form of numbers, inside and
// outside of sensitive spans.
type use struct{ marked, plain int }

// vocabulary is the use of words by training documents. Words are runs of
// letters in folded case; the form of a span with digits is its text with each
// digit as 0 and each letter as a.
type vocabulary struct {
	words map[string]use
	forms map[string]int // spans of that form
}

func newVocabulary() *vocabulary { return &vocabulary{map[string]use{}, map[string]int{}} }

// learn adds a document.
func (v *vocabulary) learn(d Prediction) {
	gold := sorted(d.Spans)
	labels, _ := annotate.TokenLabels(d.Tokens, gold)
	for i, t := range d.Tokens {
		word, is := wordOf(d.Text[t.Start:t.End])
		if !is {
			continue
		}
		u := v.words[word]
		if labels[i] != "" {
			u.marked++
		} else {
			u.plain++
		}
		v.words[word] = u
	}
	for _, s := range gold {
		if form, is := formOf(s.Surface(d.Text)); is {
			v.forms[form]++
		}
	}
}

// seen is what documents were trained on: all of them but those held out.
type seen struct{ all, held *vocabulary }

func (s seen) word(w string) use {
	all, held := s.all.words[w], s.held.words[w]
	return use{all.marked - held.marked, all.plain - held.plain}
}

func (s seen) form(f string) int { return s.all.forms[f] - s.held.forms[f] }

// wordOf is a token as the vocabulary knows it; tokens without a letter are no
// words.
func wordOf(token string) (string, bool) {
	return fold(token), strings.ContainsFunc(token, unicode.IsLetter)
}

func fold(s string) string { return strings.ToLower(s) }

// formOf is the form of a text with digits.
func formOf(s string) (string, bool) {
	digits := false
	form := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			digits = true
			return '0'
		case unicode.IsLetter(r):
			return 'a'
		}
		return r
	}, s)
	return form, digits
}
