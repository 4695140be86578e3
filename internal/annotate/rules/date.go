// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// numericDate is three numbers with one separator, 3/4/2019, or two with a slash:
// a month and a year, 03/2019, or a day, 3/4, surely so after a preposition.
func numericDate(r *reader, i int) (Finding, bool) {
	mark := r.word(i + 1)
	if mark == "" || !strings.Contains("/-.", mark) || !r.joined(i+1) || r.digits(i+2) == 0 || r.glued(i) && r.word(i-1) == mark {
		return nothing()
	}
	if r.word(i+3) == mark && r.joined(i+3) && r.digits(i+4) > 0 {
		if !isDate(r, i, i+2, i+4) || r.glued(i+5) && r.digits(i+6) > 0 && r.word(i+5) == mark {
			return nothing()
		}
		return r.finding(i, i+5, Date)
	}
	if mark != "/" || r.glued(i+3) && r.word(i+3) == "/" {
		return nothing()
	}
	first, second := r.number(i), r.number(i+2)
	switch {
	case first >= 1 && first <= 12 && r.digits(i+2) == 4 && isYear(second):
		return r.finding(i, i+3, Date)
	case r.digits(i) > 2 || r.digits(i+2) > 2 || !isDayMonth(first, second) || r.glued(i):
		return nothing()
	case dateIntro[r.low(i-1)]:
		return r.finding(i, i+3, Date)
	}
	return r.finding(i, i+3, ShortDate)
}

func weekday(r *reader, i int) (Finding, bool) {
	how := theLists().weekdays[r.low(i)]
	if how == never || how == capitalised && !r.capital(i) && len(r.word(i)) < len("monday") {
		return nothing()
	}
	return r.finding(i, i+1, Weekday)
}

// dateIntro are words after which two numbers with a slash are a day.
var dateIntro = words("on dated since until from el desde hasta le du au am vom bis seit date fecha datum")

// joined reports whether token i touches both its neighbours.
func (r *reader) joined(i int) bool { return r.glued(i) && r.glued(i+1) }

// isDate reports whether three numbers are a day, a month and a year in one of
// the usual orders.
func isDate(r *reader, a, b, c int) bool {
	x, y, z := r.number(a), r.number(b), r.number(c)
	if x < 0 || y < 0 || z < 0 || r.digits(b) > 2 {
		return false
	}
	if r.digits(a) == 4 {
		return isYear(x) && isDayMonth(y, z)
	}
	return r.digits(a) <= 2 && (r.digits(c) == 2 || r.digits(c) == 4 && isYear(z)) && isDayMonth(x, y)
}

func isYear(n int) bool { return n >= 1800 && n <= 2199 }

// isDayMonth reports whether one of the two numbers can be a month and the other
// a day.
func isDayMonth(a, b int) bool {
	return a >= 1 && b >= 1 && min(a, b) <= 12 && max(a, b) <= 31
}

// month reports whether token i names a month here: one that is another word as
// well has a capital, or a day and "on", or a day and a year beside it.
func (r *reader) month(i int) bool {
	w := r.low(i)
	how := theLists().months[w]
	return how == small || how == capitalised && (r.capital(i) || dateIntro[r.low(i-1)] && r.day(i+1) > 0 || r.day(i-1) > 0 && isYear(r.number(i+1)))
}

// day is the value of a day of a month, with or without an ordinal ending;
// otherwise 0.
func (r *reader) day(i int) int {
	w := r.low(i)
	for _, ending := range []string{"st", "nd", "rd", "th", "er"} {
		w = strings.TrimSuffix(w, ending)
	}
	if len(w) == 0 || len(w) > 2 || strings.Trim(w, "0123456789") != "" {
		return 0
	}
	n := int(w[0] - '0')
	if len(w) == 2 {
		n = 10*n + int(w[1]-'0')
	}
	if n > 31 {
		return 0
	}
	return n
}

// monthDay is a month's name with a day or a year after it: March 3, 2019; March
// 2019; Mar-04.
func monthDay(r *reader, i int) (Finding, bool) {
	if !r.month(i) {
		return nothing()
	}
	at := skipJoins(r, i+1)
	if r.day(at) > 0 && r.sameLine(at) && !timed(r, at) {
		if year := skipJoins(r, at+1); r.sameLine(at+1) && r.digits(year) == 4 && isYear(r.number(year)) {
			return r.finding(i, year+1, Date)
		}
		return r.finding(i, at+1, Date)
	}
	if r.digits(at) == 4 && isYear(r.number(at)) && r.sameLine(at) {
		return r.finding(i, at+1, Date)
	}
	return nothing()
}

// dayMonth is a day before a month's name: 3 March 2019, 3 de marzo de 2019.
func dayMonth(r *reader, i int) (Finding, bool) {
	if r.day(i) == 0 || r.glued(i) && strings.Contains("/-.", r.word(i-1)) {
		return nothing()
	}
	at := skipJoins(r, i+1)
	if !r.month(at) || !r.sameLine(at) {
		return nothing()
	}
	if year := skipJoins(r, at+1); r.sameLine(year) && (r.digits(year) == 4 && isYear(r.number(year)) || r.digits(year) == 2 && r.glued(year)) {
		return r.finding(i, year+1, Date)
	}
	return r.finding(i, at+1, Date)
}

// skipJoins steps over at most two of the small words and marks within a date.
func skipJoins(r *reader, i int) int {
	for range 2 {
		if dateJoins[r.low(i)] && r.sameLine(i) {
			i++
		}
	}
	return i
}

// timed reports whether the number at i begins a time or a dose rather than
// ending a date.
func timed(r *reader, i int) bool {
	return r.glued(i+1) && (r.word(i+1) == ":" || r.word(i+1) == "%")
}
