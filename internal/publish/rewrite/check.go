// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
	"hide/internal/publish/value"
)

// check compares the decisions about the notes of a patient with the originals.
func (w *work) check(c *Checks, real realValues, group string, plan transform.Plan, all [][]transform.Decision) {
	surrogates := map[string]map[string]bool{} // by label, person and original: two people can share a name
	count := map[string]int{}
	for _, i := range w.groups[group] {
		for _, d := range all[i] {
			original := w.notes[i].Text[d.Start:d.End]
			if d.Action != policy.Keep && d.Replacement == original && d.Problem == "" {
				c.standing(d, original, plan.Shift)
			}
			switch d.Action {
			case policy.Surrogate:
				c.Surrogates++
				if d.Problem != "" {
					continue
				}
				if real.has(d.As, d.Replacement) {
					c.Collisions++
				}
				key := fmt.Sprintf("%s\x00%d\x00%s", d.Label, d.Person, fold(original))
				if surrogates[key] == nil {
					surrogates[key] = map[string]bool{}
				}
				surrogates[key][fold(d.Replacement)] = true
				count[key]++
			case policy.ShiftDate:
				c.date(original, d.Replacement, plan.Shift)
			}
		}
	}
	for key, n := range count {
		if n > 1 {
			c.Repeats++
			if len(surrogates[key]) > 1 {
				c.Inconsistent++
			}
		}
	}
}

// standing counts an original that is its own replacement, unless its rule allows it: an age
// below 90 and a year stay as they are, and so does a date whose missing part has moved.
func (c *Checks) standing(d transform.Decision, original string, days int) {
	if d.Action == policy.ShiftDate && staysSame(original, max(days, -days)) {
		return
	}
	if d.Action == policy.Generalize {
		if age, err := value.ReadAge(original); d.As == "AGE" && err == nil && !age.Over89() {
			return
		}
		if d.As == "DATE" && d.To == policy.Year && year(original) {
			return
		}
	}
	c.Standing++
}

// staysSame reports whether a date can read the same after so many days: a weekday after whole
// weeks, "May 2016" in the month, 2016 in the year, the 15th after a month, and "May 15" after whole years.
func staysSame(original string, days int) bool {
	numbers := strings.FieldsFunc(original, func(r rune) bool { return !unicode.IsDigit(r) })
	word := strings.ToLower(strings.Join(strings.FieldsFunc(original, notLetter), ""))
	hasYear := slices.ContainsFunc(numbers, func(n string) bool { return len(n) == 4 })
	switch {
	case len(numbers) == 0:
		return days%7 == 0
	case len(numbers) > 2 || hasYear && len(numbers) == 2 && len(word) > 2:
		return false // a full date
	case hasYear:
		return days < 31 || days <= 366 && yearWords[word]
	case len(numbers) == 1 && ordinalWords[word]:
		return days >= 28
	}
	return days%365 <= days/365 // with leap days
}

// yearWords can stand beside a year without a month.
var yearWords = map[string]bool{"": true, "year": true, "año": true, "an": true, "année": true, "jahr": true}

// ordinalWords can stand behind a day without a month.
var ordinalWords = map[string]bool{"": true, "st": true, "nd": true, "rd": true, "th": true}

func year(s string) bool { return len(s) == 4 && strings.Trim(s, "0123456789") == "" }

// date compares a full date with its shifted form. Both are read in each order, since the
// check does not know the order of the note: one of them must fit.
func (c *Checks) date(original, shifted string, days int) {
	fits, read := false, false
	for _, order := range []value.Order{value.MonthFirst, value.DayFirst} {
		was, err1 := value.ReadDates(original, value.Context{Order: order, Reference: reference})
		is, err2 := value.ReadDates(shifted, value.Context{Order: order, Reference: reference})
		if err1 != nil || err2 != nil || was.Partial() || is.Partial() || len(was.All()) != len(is.All()) {
			continue
		}
		read = true
		same := true
		for k, at := range was.All() {
			same = same && at.AddDate(0, 0, days).Equal(is.All()[k])
		}
		fits = fits || same
	}
	if read {
		c.Dates++
		if !fits {
			c.Moved++
		}
	}
}

// reference gives two-digit years their century.
var reference = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)

// realValues are the values of all notes, for the check of collisions: it shares nothing with
// the corpus that surrogates are chosen by.
type realValues struct{ whole, names map[string]bool }

// shortName is the length up to which words of names are shared by so many people that they
// identify nobody: initials, "Lee".
const shortName = 3

func realValuesOf(notes []annotate.Annotated, rules policy.Resolved) realValues {
	r := realValues{map[string]bool{}, map[string]bool{}}
	for _, n := range notes {
		for _, s := range n.Spans {
			r.add(rules.Of(s.Label).As, n.Text[s.Start:s.End])
		}
	}
	return r
}

func (r realValues) add(as annotate.Label, text string) {
	r.whole[fold(text)] = true
	if as == "PATIENT" || as == "DOCTOR" {
		for _, w := range wordsOfName(text) {
			if utf8.RuneCountInString(w) > shortName {
				r.names[fold(w)] = true
			}
		}
	}
}

// has reports whether a surrogate is a real value, or has a word of a real name.
func (r realValues) has(as annotate.Label, text string) bool {
	if len(text) > shortName && r.whole[fold(text)] {
		return true
	}
	person := as == "PATIENT" || as == "DOCTOR"
	return person && slices.ContainsFunc(wordsOfName(text), func(w string) bool { return r.names[fold(w)] })
}

// wordsOfName are the words of a mention, without small words beside a name, as in "madre Ana".
func wordsOfName(text string) []string {
	words := strings.FieldsFunc(text, notLetter)
	if strings.ContainsFunc(text, unicode.IsUpper) {
		words = slices.DeleteFunc(words, func(w string) bool { return strings.ToLower(w) == w && strings.ToUpper(w) != w })
	}
	return words
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// fold makes forms of one value equal: case, blanks and punctuation do not matter.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
