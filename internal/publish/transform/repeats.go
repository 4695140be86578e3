// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/publish/policy"
	"hide/internal/publish/value"
)

// repeats finds the words of identifiers that go where nobody marked them, by note, with what
// a person has decided about them.
func (w *work) repeats() ([][]*site, error) {
	sought, years := w.sought(), w.birthYears()
	out := make([][]*site, len(w.patient.Notes))
	if len(sought.words)+len(sought.titled)+len(years) == 0 {
		return out, nil
	}
	marked := make([][]Span, len(out))
	for _, s := range w.sites {
		marked[s.note] = append(marked[s.note], s.span)
	}
	place := len(w.sites)
	for i, n := range w.patient.Notes {
		for _, run := range freeRuns(n.Text, marked[i]) {
			for j := 0; j < len(run); {
				f := w.repeatAt(n.Text, run[j:], sought, years)
				j += max(1, f.tokens)
				if f.tokens == 0 {
					continue
				}
				s, err := w.decideRepeat(i, f, place)
				if err != nil {
					return nil, fmt.Errorf("note %d, byte %d, %s: %w", n.ID, f.span.Start, f.span.Label, err)
				}
				out[i] = append(out[i], s)
				place++
			}
		}
	}
	return out, nil
}

// repeat is the place of a repeat.
type repeat struct {
	span    Span
	tokens  int   // 0 if there is none
	of      *site // that it repeats, nil for a year of birth
	problem Problem
}

// repeatAt is the repeat that begins with the first token of a run, the longest one.
func (w *work) repeatAt(text string, run []annotate.Token, sought sought, years map[string]annotate.Label) repeat {
	first := text[run[0].Start:run[0].End]
	fold := dictionary.Fold(first)
	for _, p := range sought.words[fold] {
		if p.begins(text, run) && !(len(p.words) == 1 && usualWords()[dictionary.Fold(compound(text, run[0]))]) {
			return p.at(run)
		}
	}
	for _, p := range sought.titled[fold] {
		if p.begins(text, run) && behindTitle(text, run[0].Start) {
			return p.at(run)
		}
	}
	if span, n, of := sought.numbers.at(text, run); n > 0 {
		return repeat{span, n, of, SameWordsUnmarked}
	}
	if label, found := years[first]; found && bareYear(text, run[0]) {
		return repeat{Span{run[0].Start, run[0].End, label, ByRepeat}, 1, nil, BirthYearUnmarked}
	}
	return repeat{}
}

// compound is a token with the words that hyphens join to it, as in "Jackson-Pratt".
func compound(text string, t annotate.Token) string {
	joined := func(r rune) bool { return r == '-' || annotate.WordRune(r) }
	from := len(strings.TrimRightFunc(text[:t.Start], joined))
	to := len(text) - len(strings.TrimLeftFunc(text[t.End:], joined))
	return text[from:to]
}

// decideRepeat makes the site of a repeat: it stays until a person decides.
func (w *work) decideRepeat(note int, r repeat, place int) (*site, error) {
	s := w.newSite(note, r.span, place)
	if r.of != nil {
		s.number = cmp.Or(s.choice.Person, r.of.number)
		if s.person = r.of.person; s.person >= 0 && s.chosen && s.rule.Action != policy.Keep {
			w.describe(w.join(string(s.as), s))
		}
	}
	if s.chosen {
		return s, w.decide(s)
	}
	s.d.Action, s.d.Problem = policy.Keep, r.problem
	if s.wrong {
		s.d.Problem = ChoiceRefused
	}
	if isPersonLabel(s.as) {
		s.d.Person = s.number
	}
	return s, nil
}

// freeRuns are the runs of tokens that no span touches and no blank line parts.
func freeRuns(text string, marked []Span) [][]annotate.Token {
	var out [][]annotate.Token
	open := false
	last := annotate.ByteOff(0)
	for _, t := range annotate.Tokenize(text) {
		for len(marked) > 0 && marked[0].End <= t.Start {
			marked, open = marked[1:], false
		}
		if len(marked) > 0 && marked[0].Start < t.End {
			open = false
			continue
		}
		if !open || strings.Count(text[last:t.Start], "\n") > 1 {
			out, open = append(out, nil), true
		}
		out[len(out)-1] = append(out[len(out)-1], t)
		last = t.End
	}
	return out
}

// surfaces are the tokens of text, without punctuation at its ends and without the ending of
// a possessive.
func surfaces(text string) []string {
	var words []string
	for _, t := range annotate.Tokenize(text) {
		words = append(words, text[t.Start:t.End])
	}
	for len(words) > 0 && !startsInWord(words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && !startsInWord(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if n := len(words); n > 2 && words[n-1] == "s" && strings.Contains("'’", words[n-2]) {
		words = words[:n-2]
	}
	return words
}

// tells reports whether the words of a site identify where they stand without their label: a
// number of five digits or more, two words or more with capitals or digits, or one uncommon
// word that names a place. Of dates only full ones do.
func (w *work) tells(s *site, words []string) bool {
	digits, long, whole := 0, false, 0
	for _, word := range words {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(r) || unicode.IsDigit(r) {
			whole++
		}
		digits += count(word, unicode.IsDigit)
		long = long || count(word, unicode.IsLetter) >= 3
	}
	switch s.as {
	case "AGE":
		return false
	case "EMAIL", "URL":
		return len(words) > 2
	case "DATE":
		d, err := value.ReadDates(s.text, w.dates.contexts[s.note])
		return len(d.All()) > 0 || err != nil && digits >= 5
	case "CITY", "HOSPITAL", "ORGANIZATION", "LOCATION-OTHER", "USERNAME":
		if len(words) == 1 && isNameWord(words[0]) {
			return true
		}
	}
	return digits >= 5 || whole >= 2 && long
}

// birthYears are the years of birth of a patient over 89, with the label for dates.
func (w *work) birthYears() map[string]annotate.Label {
	if !w.capsAge {
		return nil
	}
	label := annotate.Label("DATE")
	for _, l := range w.o.Policy.Labels {
		if l.As == "DATE" {
			label = l.Label
			break
		}
	}
	out := map[string]annotate.Label{}
	for year := range w.dates.births {
		if w.dates.reveal(year) {
			out[strconv.Itoa(year)] = label
		}
	}
	for _, s := range w.sites {
		if s.as == "DATE" {
			if year := w.year(s); w.dates.reveal(year) {
				out[strconv.Itoa(year)] = label
			}
		}
	}
	return out
}

// bareYear reports whether a token of four digits is no part of a longer number or date.
func bareYear(text string, t annotate.Token) bool {
	left := t.Start > 0 && strings.IndexByte("/-.,", text[t.Start-1]) >= 0
	right := int(t.End)+1 < len(text) && strings.IndexByte("/-.,", text[t.End]) >= 0 && '0' <= text[t.End+1] && text[t.End+1] <= '9'
	return !left && !right
}
