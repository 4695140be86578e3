// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// run is a row of numbers with the marks of written telephone numbers: tokens [from, to),
// and the numbers of digits and of groups.
type run struct{ from, to, digits, groups int }

func (r *reader) run(i int) run {
	n := run{from: i, to: i}
	for at := i; r.has(at) && at < i+16; at++ {
		if at > i && !r.closeBy(at) {
			break
		}
		if d := r.digits(at); d > 0 {
			n.digits, n.groups, n.to = n.digits+d, n.groups+1, at+1
			continue
		}
		if w := r.word(at); len(w) != 1 || !strings.Contains("()+-./", w) {
			break
		}
	}
	return n
}

// phoneNumber is a row of numbers formatted like a telephone number, even without a trigger
// word.
func phoneNumber(r *reader, i int) (Finding, bool) {
	w := r.word(i)
	if w == "@" || r.glued(i) && (r.wordy(i-1) || strings.Contains("/-.", r.word(i-1))) {
		return nothing()
	}
	n := r.run(i)
	switch {
	case w == "+" && n.digits >= 8 && n.digits <= 15:
	case w == "(" && r.digits(i+1) >= 2 && r.word(i+2) == ")" && n.digits >= 7 && n.digits <= 13:
	case r.groups(i, "-", 3, 3, 4), r.groups(i, ".", 3, 3, 4):
		n.to = i + 5
	case r.groups(i, "-", 3, 4) && r.number(i) > 200: // no area code begins with 0 or 1, but value ranges do
		n.to = i + 3
	case r.word(i) == "1" && r.groups(i+2, "-", 3, 3, 4):
		n.to = i + 7
	default:
		return nothing()
	}
	return r.finding(i, n.to, r.phoneKind(i))
}

// groups reports whether numbers of these lengths start at i, joined only by mark.
func (r *reader) groups(i int, mark string, lengths ...int) bool {
	for k, length := range lengths {
		at := i + 2*k
		if r.digits(at) != length || k > 0 && (r.word(at-1) != mark || !r.joined(at-1)) {
			return false
		}
	}
	end := i + 2*len(lengths) - 1
	return !r.glued(end) || r.word(end) != mark && !r.wordy(end)
}

// phoneKind looks back for a word meaning fax.
func (r *reader) phoneKind(i int) Kind {
	for back := i - 1; back >= i-5 && r.has(back) && r.sameLine(back+1); back-- {
		if faxFields[r.low(back)] {
			return Fax
		}
		if phoneFields[r.low(back)] || r.digits(back) > 0 {
			break
		}
	}
	return Phone
}

// announcedPhone is a row of numbers after a word meaning phone or fax.
func announcedPhone(r *reader, i int) (Finding, bool) {
	kind := Phone
	switch w := r.low(i); {
	case faxFields[w]:
		kind = Fax
	case !phoneFields[w]:
		return nothing()
	}
	for at := i + 1; at <= i+5 && r.sameLine(at); at++ {
		if r.digits(at) > 0 || r.word(at) == "+" || r.word(at) == "(" && r.digits(at+1) > 0 {
			if n := r.run(at); n.digits >= 4 && n.digits <= 15 {
				return r.finding(at, n.to, kind)
			}
			return nothing()
		}
		if w := r.low(at); !numberJoins[w] && !phoneFields[w] && w != "(" && w != ")" && w != "at" && w != "/" {
			return nothing()
		}
	}
	return nothing()
}

// extension is an x and three to five digits.
func extension(r *reader, i int) (Finding, bool) {
	w := r.low(i)
	if len(w) < 4 || len(w) > 6 || w[0] != 'x' || strings.Trim(w[1:], "0123456789") != "" {
		return nothing()
	}
	return r.finding(i, i+1, Phone)
}

// socialSecurity is 3, 2 and 4 digits with dashes.
func socialSecurity(r *reader, i int) (Finding, bool) {
	if !r.groups(i, "-", 3, 2, 4) || r.glued(i) {
		return nothing()
	}
	return r.finding(i, i+5, SSN)
}

// announcedNumber is a number after a word that names its kind.
func announcedNumber(r *reader, i int) (Finding, bool) {
	kind := Number
	switch w := r.low(i); {
	case recordFields[w]:
		kind = Record
	case !numberFields[w]:
		return nothing()
	}
	for at := i + 1; at <= i+5 && r.sameLine(at); at++ {
		if to, digits := r.code(at); digits >= 4 {
			return r.finding(at, to, kind)
		}
		if n := r.run(at); n.groups > 1 && n.digits >= 6 && r.digits(at) > 0 {
			return r.finding(at, n.to, kind)
		}
		if w := r.low(at); !numberJoins[w] && !numberFields[w] && !recordFields[w] {
			return nothing()
		}
	}
	return nothing()
}

// code is letters and digits joined by dashes, slashes or dots. It returns the end and the
// number of digits.
func (r *reader) code(i int) (to, digits int) {
	for to = i; r.has(to) && to < i+16 && (to == i || r.glued(to)); to++ {
		if !r.wordy(to) && (to == i || !strings.Contains("-/.", r.word(to)) || !r.glued(to+1) || !r.wordy(to+1)) {
			break
		}
		digits += countDigits(r.word(to))
	}
	return to, digits
}

func countDigits(w string) int {
	n := 0
	for k := range len(w) {
		if w[k] >= '0' && w[k] <= '9' {
			n++
		}
	}
	return n
}

// usedNumber is a row of digits too long for a measured value.
func usedNumber(r *reader, i int) (Finding, bool) {
	if r.glued(i) && r.word(i-1) != "#" && r.word(i-1) != ":" && r.word(i-1) != "(" {
		return nothing()
	}
	to, digits := r.code(i)
	if digits < 7 || digits > 20 || digits < 8 && r.digits(i) < 7 || r.groups(i, "-", 3, 3, 4) || isDate(r, i, i+2, i+4) {
		return nothing()
	}
	return r.finding(i, to, Number)
}

// mixedNumber is capital letters and at least five digits in one word.
func mixedNumber(r *reader, i int) (Finding, bool) {
	if r.glued(i) && r.wordy(i-1) || strings.ToUpper(r.word(i)) != r.word(i) {
		return nothing()
	}
	to, digits := r.code(i)
	if digits < 5 || to-i > 6 {
		return nothing()
	}
	return r.finding(i, to, Number)
}

// postalCode is five digits after a trigger word, after the letters of a state, or before a
// town.
func postalCode(r *reader, i int) (Finding, bool) {
	if r.digits(i) != 5 || r.glued(i) || r.glued(i+1) && r.word(i+1) == "." && r.digits(i+2) > 0 {
		return nothing()
	}
	before := r.low(i - 1)
	if before == ":" || before == "." {
		before = r.low(i - 2)
	}
	state := states[r.low(i-1)] && r.word(i-1) == strings.ToUpper(r.word(i-1))
	town := r.sameLine(i+1) && r.capital(i+1) && r.letters(i+1) && len(r.word(i+1)) > 2 && (before == "," || !r.sameLine(i))
	if !zipFields[before] && !state && !town {
		return nothing()
	}
	if r.word(i+1) == "-" && r.joined(i+1) && r.digits(i+2) == 4 {
		return r.finding(i, i+3, ZIP)
	}
	return r.finding(i, i+1, ZIP)
}

// ageBeforeWord is a number before "years old" and similar words.
func ageBeforeWord(r *reader, i int) (Finding, bool) {
	at := i + 1
	if r.word(at) == "-" {
		at++
	}
	slash := r.low(at) == "y" && r.word(at+1) == "/" && r.low(at+2) == "o"
	if !ageAfter[r.low(at)] && !slash || !r.closeBy(at) {
		return nothing()
	}
	return r.age(i)
}

// ageAfterWord is a number after "age" and similar words.
func ageAfterWord(r *reader, i int) (Finding, bool) {
	if !ageBefore[r.low(i)] {
		return nothing()
	}
	at := i + 1
	if r.word(at) == ":" || r.low(at) == "of" || r.low(at) == "de" {
		at++
	}
	if !r.sameLine(at) {
		return nothing()
	}
	return r.age(at)
}

func (r *reader) age(i int) (Finding, bool) {
	switch n := r.number(i); {
	case n < 1 || n > 120 || r.digits(i) > 3:
		return nothing()
	case n > 89:
		return r.finding(i, i+1, OldAge)
	}
	return r.finding(i, i+1, Age)
}

// numericDate is three numbers with one separator, 3/4/2019, or two with a slash: a month
// and a year, 03/2019, or a day, 3/4, with certainty only after a preposition.
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

// month reports whether token i names a month here. A month that is also another word needs
// a capital, a day and "on", or a day and a year beside it.
func (r *reader) month(i int) bool {
	w := r.low(i)
	how := theLists().months[w]
	return how == small || how == capitalised && (r.capital(i) || dateIntro[r.low(i-1)] && r.day(i+1) > 0 || r.day(i-1) > 0 && isYear(r.number(i+1)))
}

// day is the value of a day of a month, with or without an ordinal ending; otherwise 0.
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

// skipJoins skips at most two of the small words and marks within a date.
func skipJoins(r *reader, i int) int {
	for range 2 {
		if dateJoins[r.low(i)] && r.sameLine(i) {
			i++
		}
	}
	return i
}

// timed reports whether the number at i starts a time or a dose instead of ending a date.
func timed(r *reader, i int) bool {
	return r.glued(i+1) && (r.word(i+1) == ":" || r.word(i+1) == "%")
}
