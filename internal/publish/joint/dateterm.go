// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// partial is a date as a text may give it: zero for a part that it leaves out.
type partial struct{ year, month, day int }

// of reports whether p can stand for the day of t.
func (p partial) of(t time.Time) bool {
	y, m, dom := t.Date()
	return (p.year == 0 || p.year == y) && (p.month == 0 || p.month == int(m)) && (p.day == 0 || p.day == dom)
}

// yearOnly reports whether p is a bare year.
func (p partial) yearOnly() bool { return p.year != 0 && p.month == 0 && p.day == 0 }

// readings are the dates that a normalised term can mean as a whole. There are two
// where day and month may be either way round, and none where anything else than
// a date is part of the term: a number alone is a date only as a year of four
// digits.
func readings(term string) []partial {
	var p partial
	var numbers []string
	for _, w := range dateWords(term) {
		switch m := months[strings.TrimSuffix(w, ".")]; {
		case m != 0 && p.month == 0:
			p.month = m
		case m != 0:
			return nil
		case dateFillers[w]:
		case isNumber(w):
			numbers = append(numbers, w)
		case isNumber(ordinal(w)):
			numbers = append(numbers, ordinal(w))
		default:
			return nil
		}
	}
	if p.month != 0 {
		return withMonthName(p, numbers)
	}
	return numericDates(numbers)
}

// dateWords cuts at everything but letters and digits, and between the two.
func dateWords(term string) []string {
	return strings.FieldsFunc(term, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
}

func isNumber(w string) bool {
	return w != "" && len(w) <= 4 && strings.Trim(w, "0123456789") == ""
}

// ordinal drops the ending of a day's number: 3rd, 1er.
func ordinal(w string) string {
	for _, ending := range []string{"st", "nd", "rd", "th", "er", "º", "ª"} {
		if rest, cut := strings.CutSuffix(w, ending); cut {
			return rest
		}
	}
	return ""
}

func withMonthName(p partial, numbers []string) []partial {
	for _, n := range numbers {
		v, _ := strconv.Atoi(n)
		switch {
		case len(n) == 4 && p.year == 0:
			p.year = v
		case len(n) <= 2 && 1 <= v && v <= 31 && p.day == 0:
			p.day = v
		default:
			return nil
		}
	}
	return []partial{p}
}

func numericDates(numbers []string) []partial {
	v := make([]int, len(numbers))
	for i, n := range numbers {
		v[i], _ = strconv.Atoi(n)
	}
	year := func(i int) bool { return len(numbers[i]) == 4 }
	var out []partial
	add := func(y, m, d int) {
		if 1 <= m && m <= 12 && d <= 31 {
			out = append(out, partial{y, m, d})
		}
	}
	switch {
	case len(v) == 1 && year(0):
		return []partial{{year: v[0]}}
	case len(v) == 2 && year(0) && v[1] > 0:
		add(v[0], v[1], 0)
	case len(v) == 2 && year(1) && v[0] > 0:
		add(v[1], v[0], 0)
	case len(v) == 3 && year(0) && v[2] > 0:
		add(v[0], v[1], v[2])
	case len(v) == 3 && year(2) && v[0] > 0 && v[1] > 0:
		add(v[2], v[0], v[1])
		if v[0] != v[1] {
			add(v[2], v[1], v[0])
		}
	}
	return out
}

// dateFillers stand in dates and say nothing: articles and prepositions, and the
// days of the week, which follow from the date.
var dateFillers = wordSet("of the on in de del di du le la el der den dem am im vom und and y et a",
	"monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun",
	"lunes martes miércoles jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi dimanche",
	"montag dienstag mittwoch donnerstag freitag samstag sonntag")

// months are the names of the months in English, Spanish, French and German, and
// their short forms, in folded case.
var months = monthNames(
	"january jan enero ene janvier janv januar jän jänner",
	"february feb febrero février févr fév februar",
	"march mar marzo mars märz mär",
	"april apr abril abr avril avr",
	"may mayo mai",
	"june jun junio juin juni",
	"july jul julio juillet juil juli",
	"august aug agosto ago août",
	"september sep sept septiembre septembre",
	"october oct octubre octobre oktober okt",
	"november nov noviembre novembre",
	"december dec diciembre dic décembre déc dezember dez")

func monthNames(lists ...string) map[string]int {
	names := map[string]int{}
	for i, list := range lists {
		for _, name := range strings.Fields(list) {
			names[Normalize(name)] = i + 1
		}
	}
	return names
}

func wordSet(lists ...string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(strings.Join(lists, " ")) {
		words[Normalize(w)] = true
	}
	return words
}
