// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// run is a row of numbers with the marks that telephone numbers are written with:
// tokens [from, to), how many digits and how many groups of them there are.
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

// phoneNumber is a row of numbers that is written as a telephone number is, even
// without a word that says so.
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
	case r.groups(i, "-", 3, 4) && r.number(i) > 200: // no area begins with 0 or 1, but ranges of values do
		n.to = i + 3
	case r.word(i) == "1" && r.groups(i+2, "-", 3, 3, 4):
		n.to = i + 7
	default:
		return nothing()
	}
	return r.finding(i, n.to, r.phoneKind(i))
}

// groups reports whether numbers of these lengths stand at i, glued by mark and
// nothing more.
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

// phoneKind looks back for a word that says fax.
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

// announcedPhone is a row of numbers after a word that says phone or fax.
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

// announcedNumber is a number after a word that says whose it is.
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

// code is letters and digits, glued by dashes, slashes or dots: where it ends, and
// how many digits it has.
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

// usedNumber is a row of digits too long for a value that someone measured.
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

// postalCode is five digits after a word that says so, after the letters of a
// state, or before a town.
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

// ageBeforeWord is a number before "years old" and the like.
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

// ageAfterWord is a number after "age" and the like.
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
