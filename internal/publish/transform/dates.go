// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/value"
)

// dates is what the notes of a patient tell about their dates.
type dates struct {
	contexts []value.Context // by note
	latest   time.Time       // the last of the references, zero if there is none
	over89   bool            // the patient, or somebody whose age the notes give
	births   map[int]bool    // years of the patient in structured data, and of birth in the text
}

// greatAge is the first age that Safe Harbor does not allow.
const greatAge = 90

// readDates finds the order and the reference of each note, and whether the patient is over 89.
func (w *work) readDates() {
	texts, all := make([][]string, len(w.patient.Notes)), []string{}
	for _, s := range w.sites {
		if s.as == "DATE" {
			texts[s.note], all = append(texts[s.note], s.text), append(all, s.text)
		}
	}
	ofPatient, language := value.OrderOf(all), cmp.Or(value.LanguageOf(all), languages[w.o.Locale])
	w.dates.contexts = make([]value.Context, len(texts))
	var first time.Time
	for i, n := range w.patient.Notes {
		c := &w.dates.contexts[i]
		c.Order = cmp.Or(value.OrderOf(texts[i]), ofPatient, w.o.Order)
		c.Language = cmp.Or(value.LanguageOf(texts[i]), language)
		if c.Reference = n.Date; n.Date.IsZero() {
			c.Reference = lastFull(texts[i], *c)
		}
		if first.IsZero() {
			first = c.Reference
		}
	}
	if first.IsZero() {
		first = w.o.Reference
	}
	for i := range w.dates.contexts {
		c := &w.dates.contexts[i]
		if c.Reference.IsZero() {
			c.Reference = first
		}
		if c.Reference.After(w.dates.latest) {
			w.dates.latest = c.Reference
		}
	}
	w.findGreatAge()
}

// languages are the languages of locales. English is missing: as the default it tells nothing.
var languages = map[surrogate.Locale]value.Language{surrogate.Es: value.Spanish, surrogate.Fr: value.French, surrogate.De: value.German}

// openEnd and openStart are years that no note and no patient has: programs write 12/31/2099 for
// "without an end" and 1/1/1900 for "unknown". Such a date is no reference for others. Moved, it
// would show the days of the shift, because a reader knows where it was.
const (
	openEnd   = 2090
	openStart = 1901
)

// showsShift reports whether a date of this year is known before and after the shift.
func showsShift(year int) bool { return year >= openEnd || year <= openStart }

// lastFull is the latest full date of a note. The first one is the date of birth in many notes.
func lastFull(texts []string, c value.Context) time.Time {
	var last time.Time
	for _, text := range texts {
		d, err := value.ReadDates(text, c)
		if err != nil {
			continue
		}
		for _, date := range d.All() {
			if date.After(last) && date.Year() < openEnd {
				last = date
			}
		}
	}
	return last
}

// findGreatAge looks for ages over 89 and for years of birth.
func (w *work) findGreatAge() {
	w.dates.births = map[int]bool{}
	for _, id := range w.patient.Identities {
		if id.Of == annotate.OfPatient && id.Label == "DATE" {
			w.dates.births[yearIn(id.Value)] = true
		}
	}
	for _, s := range w.sites {
		switch s.as {
		case "AGE":
			age, err := value.ReadAge(s.text)
			w.dates.over89 = w.dates.over89 || err == nil && age.Over89()
		case "DATE":
			text := w.patient.Notes[s.note].Text
			if announcesBirth(before(text, int(s.span.Start), birthCue)) {
				w.dates.births[w.year(s)] = true
			}
		}
	}
}

// tellingBirth is how many years before the latest date a year of birth tells a great age that
// the notes give. It is less than the age, because the dates of notes can be missing or wrong;
// a later date beside the word "born" is no birth.
const tellingBirth = 60

// reveal reports whether a year tells that the patient is over 89. If the notes give such an
// age, a year of birth tells it, and so does a year that makes one year less, because a later
// note may be undated.
func (d dates) reveal(year int) bool {
	if year == 0 {
		return false
	}
	if d.latest.IsZero() {
		return d.over89 && d.births[year]
	}
	passed := d.latest.Year() - year
	return passed >= greatAge || d.over89 && (passed == greatAge-1 || passed >= tellingBirth && d.births[year])
}

// revealAny reports whether some year of a text tells it: an interval has two.
func (d dates) revealAny(text string) bool { return slices.ContainsFunc(yearsIn(text), d.reveal) }

// birthCue is how far before a date a word announces that it is a date of birth.
const birthCue = 24

// birthWords announce a date of birth, in English, Spanish, French and German.
var birthWords = strings.Fields("born birth birthdate birthday birthyear dob nacid nacida nacido nacimiento nacio ne nee naissance geb geboren geburtsdatum geburtstag geburtsjahr")

// announcesBirth reports whether a word of text announces a date of birth.
func announcesBirth(text string) bool {
	fold := dictionary.Fold(strings.ReplaceAll(text, ".", ""))
	words := strings.FieldsFunc(fold, func(r rune) bool { return !annotate.WordRune(r) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(birthWords, w) })
}

// yearIn is the first number of four digits in text, 0 if there is none.
func yearIn(text string) int { return append(yearsIn(text), 0)[0] }

// yearsIn are the numbers of four digits in text.
func yearsIn(text string) []int {
	var out []int
	for _, number := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		if year, err := strconv.Atoi(number); err == nil && len(number) == 4 {
			out = append(out, year)
		}
	}
	return out
}

// read reads the dates of a site and writes them. A date with an unknown order is read in both;
// if the results are equal, the order does not matter.
func (w *work) read(s *site, write func(value.Dates) (string, error)) (string, error) {
	c := w.dates.contexts[s.note]
	text, err := readAs(s.text, c, write)
	if !errors.Is(err, value.ErrAmbiguous) || c.Order != value.Unknown {
		return text, err
	}
	monthFirst, dayFirst := c, c
	monthFirst.Order, dayFirst.Order = value.MonthFirst, value.DayFirst
	one, errOne := readAs(s.text, monthFirst, write)
	two, errTwo := readAs(s.text, dayFirst, write)
	if errOne == nil && errTwo == nil && one == two {
		return one, nil
	}
	return "", err
}

func readAs(text string, c value.Context, write func(value.Dates) (string, error)) (string, error) {
	d, err := value.ReadDates(text, c)
	if err != nil {
		return "", err
	}
	return write(d)
}

// year is the first year that a site gives, 0 if it gives none.
func (w *work) year(s *site) int {
	text, err := w.readYear(s)
	if err != nil {
		return 0
	}
	return yearIn(text)
}

// readYear is read for years: the year of an ambiguous date can be certain.
func (w *work) readYear(s *site) (string, error) {
	d, err := value.ReadDates(s.text, w.dates.contexts[s.note])
	if err == nil || errors.Is(err, value.ErrAmbiguous) {
		if text, errYear := d.Year(); err == nil || errYear == nil {
			return text, errYear
		}
	}
	return "", err
}

// generalizeDate writes a date at a level, or at the next one that is not more exact than the
// date. A date without a year has none of them: the placeholder shows less, so nobody needs to
// decide.
func (w *work) generalizeDate(s *site) result {
	var text string
	err := value.ErrCoarse
	if s.rule.To == policy.Month {
		text, err = w.read(s, value.Dates.Month)
	}
	if s.rule.To != policy.Year && errors.Is(err, value.ErrCoarse) {
		text, err = w.read(s, value.Dates.Quarter)
	}
	if errors.Is(err, value.ErrCoarse) {
		text, err = w.readYear(s)
	}
	switch {
	case errors.Is(err, value.ErrNoYear):
		return result{hide: true}
	case err != nil:
		return result{problem: dateProblem(err)}
	}
	return result{text: text, hide: w.capsAge && w.dates.revealAny(text)}
}

// shift moves the dates of a site by the days of the patient.
func (w *work) shift(s *site) result {
	if years, err := w.readYear(s); err == nil && (slices.ContainsFunc(yearsIn(years), showsShift) || w.capsAge && w.dates.reveal(yearIn(years))) {
		return result{hide: true}
	}
	shows := false
	text, err := w.read(s, func(d value.Dates) (string, error) {
		shows = shows || slices.ContainsFunc(d.All(), func(t time.Time) bool { return showsShift(t.Year()) })
		return d.Shift(w.made.Shift())
	})
	switch {
	case shows:
		return result{hide: true}
	case err != nil:
		return result{problem: dateProblem(err)}
	}
	return result{text: text}
}
