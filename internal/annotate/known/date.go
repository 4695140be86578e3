// SPDX-License-Identifier: Apache-2.0

package known

import (
	"strconv"
	"strings"
	"sync"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// day is a date or what a text gives of it. A year of two digits is shortYear plus the
// digits; parts that are not given are 0.
type day struct{ year, month, day int }

const shortYear = 100_000

// monthNames are names of months in English, Spanish, French, German, Italian and Portuguese.
var monthNames = [12]string{
	"january jan enero ene janvier janv januar jänner gennaio gen janeiro",
	"february feb febrero février févr fév februar febbraio fevereiro",
	"march mar marzo mars märz mrz março",
	"april apr abril abr avril avr aprile",
	"may mayo mai maggio maio",
	"june jun junio juin juni giugno junho",
	"july jul julio juillet juil juli luglio julho",
	"august aug agosto ago août",
	"september sep sept septiembre setiembre septembre settembre setembro",
	"october oct octubre octobre oktober okt ottobre outubro",
	"november nov noviembre novembre novembro",
	"december dec diciembre dic décembre déc dezember dez dicembre dezembro",
}

// monthWords are all of them, folded.
var monthWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, names := range monthNames {
		for w := range strings.FieldsSeq(names) {
			set[dictionary.Fold(w)] = true
		}
	}
	return set
})

// addMonths adds the names of months to the vocabulary if some identity is a date.
func (x *Index) addMonths() {
	x.months = map[int32]int{}
	if len(x.dates) == 0 {
		return
	}
	for m, names := range monthNames {
		for w := range strings.FieldsSeq(names) {
			x.months[x.words.id(dictionary.Fold(w))] = m + 1
		}
	}
}

// addDate adds a date in the form 1961-05-14 or 1961-05, or any other form that gives day,
// month and year. It ignores a year alone.
func (x *Index) addDate(i int32, value string) {
	d, ok := isoDate(value)
	if !ok {
		if d, ok = writtenDate(value); !ok {
			x.addPhrase(i, value, false)
			return
		}
	}
	if d.month == 0 {
		return
	}
	keys := []day{{d.year, d.month, 0}}
	if d.day > 0 {
		keys = append(keys, d, day{shortYear + d.year%100, d.month, d.day}, day{0, d.month, d.day})
	}
	for _, key := range keys {
		if _, old := x.dates[key]; !old {
			x.dates[key] = i
		}
	}
}

// isoDate reads 1961, 1961-05 and 1961-05-14, with or without a time after it.
func isoDate(value string) (d day, ok bool) {
	value, _, _ = strings.Cut(value, "T")
	parts := strings.Split(value, "-")
	if len(parts) > 3 || len(parts[0]) != 4 {
		return d, false
	}
	for i, to := range []*int{&d.year, &d.month, &d.day}[:len(parts)] {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n <= 0 || i > 0 && len(parts[i]) != 2 {
			return d, false
		}
		*to = n
	}
	return d, d.fits()
}

// writtenDate reads a value that is a date with a year in another form.
func writtenDate(value string) (day, bool) {
	x := &Index{words: newVocabulary(), dates: map[day]int32{{}: 0}}
	x.addMonths()
	r := x.read(value, annotate.Tokenize(value))
	if len(r.words) == 0 {
		return day{}, false
	}
	for _, d := range r.dates(0) {
		if d.to == len(r.words) && 0 < d.year && d.year < shortYear {
			return d.day, true
		}
	}
	return day{}, false
}

// fits reports whether the parts that are given can be those of a date.
func (d day) fits() bool {
	year := d.year == 0 || d.year >= shortYear || 1800 <= d.year && d.year < 2200
	return year && 0 <= d.month && d.month <= 12 && 0 <= d.day && d.day <= 31
}

// dated is a date in words of a text that end before to.
type dated struct {
	day
	to int
}

// datesAt finds the dates that begin at a word.
func (r *reader) datesAt(at int) {
	if len(r.index.dates) == 0 {
		return
	}
	for _, d := range r.dates(at) {
		if i, ok := r.index.dates[d.day]; ok {
			r.all = append(r.all, found{at, d.to, i, Date})
			return
		}
	}
}

// dates are the readings of what begins at a word, the fullest first.
func (r *reader) dates(at int) []dated {
	var all []dated
	surface := r.surface(at)
	switch first := surface[0]; {
	case r.words[at].id != none && r.index.months[r.words[at].id] > 0:
		all = r.monthFirst(at)
	case first < '0' || first > '9':
		return nil
	case isNumber(surface) && (len(surface) == 8 || len(surface) == 12 || len(surface) == 14):
		all = []dated{{day{digits(surface[:4]), digits(surface[4:6]), digits(surface[6:8])}, at + 1}}
	default:
		all = append(r.dayFirst(at), r.numeric(at)...)
	}
	fine := all[:0]
	for _, d := range all {
		if d.month > 0 && d.fits() {
			fine = append(fine, d)
		}
	}
	return fine
}

// digits is the value of a word of at most four digits, -1 for any other.
func digits(s string) int {
	if !isNumber(s) || len(s) > 4 {
		return -1
	}
	n, _ := strconv.Atoi(s) // are digits
	return n
}

// dayOf is the day of the month that a word says, such as 14 or 14th, or 0.
func (r *reader) dayOf(at int) int {
	s := r.surface(at)
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		if number, ok := strings.CutSuffix(strings.ToLower(s), suffix); ok {
			s = number
			break
		}
	}
	if len(s) > 2 {
		return 0
	}
	return max(digits(s), 0)
}

func (r *reader) monthOf(at int) int {
	if at >= len(r.words) || r.words[at].id == none {
		return 0
	}
	return r.index.months[r.words[at].id]
}

// near reports whether between a word and the next is only what stands inside of dates.
func (r *reader) near(at int) bool {
	return at+1 < len(r.words) && len(r.between(at)) <= 3 && strings.Trim(r.between(at), " -/.,'\u00a0\n") == "" && r.followed(at)
}

// monthFirst reads "May 14, 1961", "May 14" and "May 1961".
func (r *reader) monthFirst(at int) []dated {
	month := r.monthOf(at)
	if !r.near(at) {
		return nil
	}
	if year := r.yearOf(at+1, 4); year > 0 {
		if at > 0 && r.dayOf(at-1) > 0 && r.near(at-1) {
			return nil // of another day
		}
		return []dated{{day{year, month, 0}, at + 2}}
	}
	d := r.dayOf(at + 1)
	if d == 0 {
		return nil
	}
	return r.withYear(day{0, month, d}, at+2)
}

// dayFirst reads "14 May 1961", "14-May-61", "14th of May" and "14. Mai".
func (r *reader) dayFirst(at int) []dated {
	d := r.dayOf(at)
	if d == 0 || !r.near(at) {
		return nil
	}
	at++
	if w := strings.ToLower(r.surface(at)); (w == "of" || w == "de") && r.near(at) {
		at++
	}
	month := r.monthOf(at)
	if month == 0 {
		return nil
	}
	return r.withYear(day{0, month, d}, at+1)
}

// withYear adds the year that word at gives, if it gives one. Two digits may be something
// else, so they are one of two readings.
func (r *reader) withYear(d day, at int) []dated {
	if at < len(r.words) && r.near(at-1) {
		if w := strings.ToLower(r.surface(at)); (w == "of" || w == "de") && r.near(at) {
			at++
		}
		if year := r.yearOf(at, 4); year > 0 {
			return []dated{{day{year, d.month, d.day}, at + 1}}
		}
		if year := r.yearOf(at, 2); year > 0 {
			return []dated{{day{year, d.month, d.day}, at + 1}, {d, at}}
		}
	}
	return []dated{{d, at}}
}

// yearOf is the year that a word of this many digits says, or 0.
func (r *reader) yearOf(at, size int) int {
	s := r.surface(at)
	switch n := digits(s); {
	case n < 0 || len(s) != size:
		return 0
	case size == 2:
		return shortYear + n
	default:
		return n
	}
}

// numeric reads 1961-05-14, 14.05.1961, 5/14/61, 05/1961 and 5/14. Where day and month can
// be exchanged it gives both.
func (r *reader) numeric(at int) []dated {
	mark := r.mark(at)
	if mark == 0 || at > 0 && r.mark(at-1) == mark {
		return nil
	}
	a, b := r.surface(at), r.surface(at+1)
	if r.mark(at+1) == mark {
		return numericFull(a, b, r.surface(at+2), at+3)
	}
	switch x, y := digits(a), digits(b); {
	case len(a) == 4 && len(b) == 2:
		return []dated{{day{x, y, 0}, at + 2}}
	case len(b) == 4 && len(a) <= 2:
		return []dated{{day{y, x, 0}, at + 2}}
	case mark == '/' && len(a) <= 2 && len(b) <= 2 && isShortDate(a, b):
		return []dated{{day{0, x, y}, at + 2}, {day{0, y, x}, at + 2}}
	}
	return nil
}

// mark is the character between two numbers of a date, 0 for none.
func (r *reader) mark(at int) byte {
	if at+1 >= len(r.words) || digits(r.surface(at)) < 0 || digits(r.surface(at+1)) < 0 {
		return 0
	}
	if gap := r.between(at); gap == "-" || gap == "/" || gap == "." || gap == ". " {
		return gap[0]
	}
	return 0
}

// isShortDate reports whether numbers with a slash between them are day and month and not a
// score, such as 5/10.
func isShortDate(a, b string) bool {
	return digits(a) > 12 || digits(b) > 12 || len(a) == 2 && len(b) == 2 && (a[0] == '0' || b[0] == '0')
}

func numericFull(a, b, c string, to int) []dated {
	x, y, z := digits(a), digits(b), digits(c)
	switch {
	case len(a) == 4 && len(b) <= 2 && len(c) <= 2:
		return []dated{{day{x, y, z}, to}}
	case len(a) > 2 || len(b) > 2 || len(c) != 2 && len(c) != 4:
		return nil
	case len(c) == 2:
		z += shortYear
	}
	return []dated{{day{z, x, y}, to}, {day{z, y, x}, to}}
}
