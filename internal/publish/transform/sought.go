// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/publish/policy"
)

// sought is what to look for in unmarked text: the words and the long numbers of replaced
// identifiers.
type sought struct {
	words   phrases
	titled  phrases // names that are usual words, sought behind titles: "Mr. Black"
	numbers numbers
}

// sought collects the words and numbers of the identifiers that do not stay.
func (w *work) sought() sought {
	all := sought{phrases{}, phrases{}, numbers{}}
	for _, s := range w.sites {
		if s.d.Action == policy.Keep || s.d.Replacement == s.text {
			continue
		}
		words := surfaces(s.text)
		if w.tells(s, words) {
			all.words.add(words, s)
			all.numbers.add(s)
		}
		if isPersonLabel(s.as) {
			all.addNames(words, s)
		}
	}
	for _, list := range all.words {
		slices.SortStableFunc(list, func(a, b phrase) int { return cmp.Compare(len(b.words), len(a.words)) })
	}
	return all
}

// addNames adds the words of a name by themselves.
func (all sought) addNames(words []string, s *site) {
	for _, word := range words {
		switch fold := dictionary.Fold(word); {
		case isNameWord(word):
			all.words.add([]string{word}, s)
		case startsUpper(word) && count(word, unicode.IsLetter) > 1 && !besideNames()[fold]:
			all.titled.add([]string{word}, s)
		}
	}
}

// besideNames are words that stand in mentions of people and name nobody.
var besideNames = sync.OnceValue(func() map[string]bool { return wordSet("titles", "credentials", "particles", "kin") })

var titles = sync.OnceValue(func() map[string]bool { return wordSet("titles") })

// behindTitle reports whether a title stands directly before a position: "Mr. Black". A letter
// alone is more often an initial.
func behindTitle(text string, at annotate.ByteOff) bool {
	before := strings.TrimRight(text[:at], " .")
	word := before[len(strings.TrimRightFunc(before, annotate.WordRune)):]
	return len(before) < int(at) && count(word, unicode.IsLetter) > 1 && startsUpper(word) && titles()[dictionary.Fold(word)]
}

func startsUpper(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// phrase is the words of a replaced identifier, as tokens.
type phrase struct {
	words []string
	folds []string // for comparison without accents
	of    *site
}

// phrases has phrases by their first word, folded, the longest first.
type phrases map[string][]phrase

func (all phrases) add(words []string, of *site) {
	p := phrase{words, make([]string, len(words)), of}
	for i, word := range words {
		p.folds[i] = dictionary.Fold(word)
	}
	same := func(q phrase) bool { return slices.Equal(p.words, q.words) }
	if list := all[p.folds[0]]; !slices.ContainsFunc(list, same) {
		all[p.folds[0]] = append(list, p)
	}
}

// begins reports whether the phrase stands at the start of a run. Accents do not matter.
func (p phrase) begins(text string, run []annotate.Token) bool {
	if len(p.words) > len(run) {
		return false
	}
	for i, fold := range p.folds {
		word := text[run[i].Start:run[i].End]
		if word != p.words[i] && (dictionary.Fold(word) != fold || !p.allows(caseOf(word), caseOf(p.words[i]))) {
			return false
		}
	}
	return true
}

// at is the repeat of the phrase at the start of a run.
func (p phrase) at(run []annotate.Token) repeat {
	n := len(p.words)
	return repeat{Span{run[0].Start, run[n-1].End, p.of.span.Label, ByRepeat}, n, p.of, SameWordsUnmarked}
}

// allows reports whether a word can have other capitals than the one of the phrase: all, or one in
// front, because a name in the capitals of a header stands as a name in the text below it. A
// short word in other capitals is an abbreviation. Addresses of the net have any capitals.
func (p phrase) allows(found, own letterCase) bool {
	switch {
	case found == own, p.of.as == "EMAIL", p.of.as == "URL":
		return true
	case len(p.words) == 1 && utf8.RuneCountInString(p.words[0]) < 4:
		return false
	}
	return found == capitals || found == capital
}

// letterCase is which letters of a word are capitals.
type letterCase int

const (
	mixed letterCase = iota
	small
	capital // the first one
	capitals
)

func caseOf(word string) letterCase {
	_, size := utf8.DecodeRuneInString(word)
	switch {
	case strings.ToLower(word) == word:
		return small
	case strings.ToUpper(word) == word:
		return capitals
	case strings.ToLower(word[size:]) == word[size:]:
		return capital
	}
	return mixed
}

// A number with fewestDigits to mostDigits digits is found in other punctuation.
const (
	fewestDigits = 7
	mostDigits   = 24
)

// numbers are the sites of long numbers by their digits: "617-555-0134" and "(617) 555 0134" are
// one telephone number.
type numbers map[string]*site

func (all numbers) add(s *site) {
	digits := digitsOf(s.text)
	if len(digits) >= fewestDigits && len(digits) <= mostDigits && all[digits] == nil {
		all[digits] = s
	}
}

// at is the number at the start of a run and how many tokens it has, 0 for none. The longest
// one counts. Letters can stand before the digits of the first token only, as in "MRN0012345".
func (all numbers) at(text string, run []annotate.Token) (span Span, tokens int, of *site) {
	digits := ""
	for i, t := range run {
		word := text[t.Start:t.End]
		more := digitsOf(word)
		if i > 0 && (strings.ContainsFunc(word, unicode.IsLetter) || strings.Contains(text[run[i-1].End:t.Start], "\n")) {
			break
		}
		if more == "" && (i == 0 || !strings.Contains("-./()", word)) || len(digits) > mostDigits {
			break
		}
		digits += more
		if s := all[digits]; s != nil && more != "" {
			span, tokens, of = Span{run[0].Start, t.End, s.span.Label, ByRepeat}, i+1, s
		}
	}
	number := text[span.Start:span.End]
	if strings.Contains(number, ")") && !strings.Contains(number, "(") && strings.HasSuffix(text[:span.Start], "(") {
		span.Start--
	}
	return span, tokens, of
}

// digitsOf are the digits of a text.
func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, text)
}
