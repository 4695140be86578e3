// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
	"hide/internal/publish/personname"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
)

// startSurrogates tells the maker what it needs to know of all notes before it invents values:
// the long forms of institutions, and the states that places lie in.
func (w *work) startSurrogates() {
	w.made = w.o.Maker.Patient(w.patient.ID, w.patient.Book)
	for _, s := range w.sites {
		switch kind, _ := surrogate.KindOf(s.as); kind {
		case surrogate.Hospital, surrogate.Organization, surrogate.State, surrogate.ZIP:
			w.made.Aliases(kind, s.text)
		}
	}
}

// surrogate invents the replacement of a site.
func (w *work) surrogate(s *site) (result, error) {
	var text string
	var err error
	switch {
	case s.person >= 0 && namesNobody(s.text): // no name can stand for "mother"
		return result{hide: true}, nil
	case s.person >= 0:
		text, err = w.surrogateName(s)
	default:
		kind, found := surrogate.KindOf(s.as)
		if !found {
			kind = surrogate.Other
		}
		behind := w.stateBehind(s)
		text, err = w.made.Value(kind, s.text+behind, s.place)
		text = strings.TrimSuffix(text, behind)
	}
	switch {
	case errors.Is(err, surrogate.ErrExhausted):
		return result{problem: Exhausted}, nil
	case err != nil:
		return result{}, err
	case strings.TrimSpace(text) == "":
		return result{problem: SurrogateNotFormed}, nil
	case holdsOriginal(s, text):
		return result{problem: RepeatsOriginal}, nil
	case w.isReal(s, text):
		return result{problem: Exhausted}, nil
	}
	return result{text: text}, nil
}

// stateBehind is the state that a note names behind a city, as in ", Florida", so that the
// invented city lies in it. It is "" without one, and where states are replaced too.
func (w *work) stateBehind(s *site) string {
	if s.as != "CITY" || s.place+1 == len(w.sites) {
		return ""
	}
	next, text := w.sites[s.place+1], w.patient.Notes[s.note].Text
	if next.note != s.note || next.as != "STATE" || next.rule.Action != policy.Keep || text[s.span.End:next.span.Start] != ", " {
		return ""
	}
	return ", " + next.text
}

// isReal reports whether a replacement is a value that the originals have. Two letters are
// the initials of many people, and states and countries are few.
func (w *work) isReal(s *site, text string) bool {
	if s.as == "STATE" || s.as == "COUNTRY" || count(text, unicode.IsLetter)+count(text, unicode.IsDigit) < 3 {
		return false
	}
	return w.o.Maker.IsReal(text)
}

// surrogateName writes the invented name of the site's person in the form of the site. If that
// gives the initials of a real person, the middle name is left out.
func (w *work) surrogateName(s *site) (string, error) {
	p := w.people[s.person]
	invented, err := w.invent(p, s)
	if err != nil {
		return "", err
	}
	text := personname.Write(w.mention(s), p.real, invented)
	if invented.Middle != "" && w.isReal(s, text) {
		invented.Middle = ""
		text = personname.Write(w.mention(s), p.real, invented)
	}
	return text, nil
}

// invent asks the maker for the person at a place.
func (w *work) invent(p *person, s *site) (personname.Person, error) {
	return w.made.Person(p.group, p.canonical, p.real, s.place)
}

// holdsOriginal reports whether a replacement shows the original: a word of a name, or all of
// another value. A value may share parts: a clinic stays a clinic, and 555-01-3377 and
// 555-20-1894 share a number by chance.
func holdsOriginal(s *site, replacement string) bool {
	if folded(s.text) == folded(replacement) {
		return true
	}
	made, telling, gone := parts(replacement), false, false
	for _, part := range parts(s.text) {
		switch {
		case !long(part):
		case slices.Contains(made, part):
			telling = telling || !kindWords()[part]
		default:
			gone = true
		}
	}
	return telling && (s.person >= 0 || !gone)
}

// parts are the runs of letters and the runs of digits of text, folded.
func parts(text string) []string {
	var out []string
	last := ' '
	for _, r := range dictionary.Fold(text) {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		case len(out) > 0 && unicode.IsLetter(last) == unicode.IsLetter(r) && unicode.IsDigit(last) == unicode.IsDigit(r):
			out[len(out)-1] += string(r)
		default:
			out = append(out, string(r))
		}
		last = r
	}
	return out
}

// long reports whether a part can tell something: three letters or two digits.
func long(part string) bool {
	if unicode.IsDigit(rune(part[0])) {
		return len(part) >= 2
	}
	return utf8.RuneCountInString(part) >= 3
}
