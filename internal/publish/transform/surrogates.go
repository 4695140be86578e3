// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
	"hide/internal/publish/personname"
	"hide/internal/publish/surrogate"
)

// tries is how many invented people are tried until no name repeats a real one.
const tries = 8

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
	case s.person >= 0 && isKinship(s.text): // "mother" names nobody, and no name can stand for it
		return result{hide: true}, nil
	case s.person >= 0:
		text, err = w.surrogateName(s)
	default:
		kind, found := surrogate.KindOf(s.as)
		if !found {
			kind = surrogate.Other
		}
		text, err = w.made.Value(kind, s.text, s.place)
	}
	switch {
	case errors.Is(err, surrogate.ErrExhausted):
		return result{problem: Exhausted}, nil
	case err != nil:
		return result{}, err
	case strings.TrimSpace(text) == "":
		return result{problem: SurrogateNotFormed}, nil
	case holdsOriginal(s.text, text):
		return result{problem: RepeatsOriginal}, nil
	}
	return result{text: text}, nil
}

// surrogateName writes the invented name of the site's person in the form of the site.
func (w *work) surrogateName(s *site) (string, error) {
	p := w.people[s.person]
	if !p.invented {
		p.invented = true
		if err := w.chooseTry(p); err != nil {
			return "", err
		}
	}
	return w.nameAt(p, s)
}

// chooseTry finds the first invented person for whom no place repeats the real name. One try
// serves all places, so that the person has one name.
func (w *work) chooseTry(p *person) error {
	for p.try = range tries {
		repeats := false
		for _, s := range p.sites {
			text, err := w.nameAt(p, s)
			if err != nil {
				return err
			}
			repeats = repeats || holdsOriginal(s.text, text)
		}
		if !repeats {
			return nil
		}
	}
	p.try = 0
	return nil
}

func (w *work) nameAt(p *person, s *site) (string, error) {
	invented, err := w.invent(p, s)
	if err != nil {
		return "", err
	}
	return personname.Write(w.mention(s), p.real, invented), nil
}

// invent asks the maker for the person at a place.
func (w *work) invent(p *person, s *site) (personname.Person, error) {
	canonical := p.canonical
	if p.try > 0 {
		canonical += " try " + strconv.Itoa(p.try)
	}
	return w.made.Person(p.group, canonical, p.real, s.place)
}

// holdsOriginal reports whether a replacement shows the original or an identifying part of
// it: a word of at least three letters or a number of at least four digits. Words that only
// give the kind of a thing, such as "Street" and "Dr.", do not identify; and shorter numbers,
// such as those between the hyphens of 555-01-3377, are equal by chance too often.
func holdsOriginal(original, replacement string) bool {
	if folded(original) == folded(replacement) {
		return true
	}
	made := parts(replacement)
	return slices.ContainsFunc(parts(original), func(part string) bool {
		return identifies(part) && slices.Contains(made, part)
	})
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

func identifies(part string) bool {
	if unicode.IsDigit(rune(part[0])) {
		return len(part) >= 4
	}
	return utf8.RuneCountInString(part) >= 3 && !kindWords()[part]
}
