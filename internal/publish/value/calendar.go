// SPDX-License-Identifier: Apache-2.0

package value

import (
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
)

// Language is a language that the package reads and writes.
type Language int

// The languages.
const (
	AnyLanguage Language = iota
	English
	Spanish
	French
	German
)

// languages is a set of languages, one bit each.
type languages uint

const allLanguages = languages(1<<English | 1<<Spanish | 1<<French | 1<<German)

func (l languages) has(one Language) bool { return l&(1<<one) != 0 }

// calendar has the names of a language. Names after the first 12 months or 7 weekdays, in
// "also", are read and not written.
type calendar struct {
	months, shortMonths     string
	weekdays, shortWeekdays string // from Sunday
	seasons                 string // from winter, which is the first quarter
	also                    map[string]int
	alsoShort               map[string]int
	alsoWeekday             map[string]int
	alsoSeason              map[string]int
}

var calendars = [...]calendar{
	English: {
		months:        "January February March April May June July August September October November December",
		shortMonths:   "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
		weekdays:      "Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
		shortWeekdays: "Sun Mon Tue Wed Thu Fri Sat",
		seasons:       "winter spring summer autumn",
		alsoShort:     map[string]int{"sept": 9},
		alsoWeekday:   map[string]int{"tues": 2, "weds": 3, "thur": 4, "thurs": 4},
		alsoSeason:    map[string]int{"fall": 3, "springtime": 1, "summertime": 2, "wintertime": 0},
	},
	Spanish: {
		months:        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		shortMonths:   "ene feb mar abr may jun jul ago sep oct nov dic",
		weekdays:      "domingo lunes martes miércoles jueves viernes sábado",
		shortWeekdays: "dom lun martes mié jue vie sáb", // "mar" is March
		seasons:       "invierno primavera verano otoño",
		also:          map[string]int{"setiembre": 9},
		alsoShort:     map[string]int{"sept": 9, "set": 9, "agos": 8},
	},
	French: {
		months:        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		shortMonths:   "janv févr mars avr mai juin juil août sept oct nov déc",
		weekdays:      "dimanche lundi mardi mercredi jeudi vendredi samedi",
		shortWeekdays: "dim lun mardi mer jeu ven sam",
		seasons:       "hiver printemps été automne",
		alsoShort:     map[string]int{"jan": 1, "fev": 2, "juill": 7, "sep": 9},
	},
	German: {
		months:        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
		shortMonths:   "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
		weekdays:      "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
		shortWeekdays: "So Mo Di Mi Do Fr Sa",
		seasons:       "Winter Frühling Sommer Herbst",
		also:          map[string]int{"janner": 1, "feber": 2, "maerz": 3},
		alsoShort:     map[string]int{"mrz": 3, "sept": 9},
		alsoWeekday:   map[string]int{"sonnabend": 6},
		alsoSeason:    map[string]int{"fruhjahr": 1},
	},
}

// name is what a word of a calendar says.
type name struct {
	value     int
	languages languages
	short     languages // in which it is only an abbreviation
	both      languages // in which the name is its own abbreviation, such as "May"
}

// names are the words of all calendars.
type names struct{ months, weekdays, seasons map[string]name }

var calendarNames = sync.OnceValue(func() names {
	n := names{map[string]name{}, map[string]name{}, map[string]name{}}
	for l := English; l <= German; l++ {
		c := calendars[l]
		addList(n.months, c.months, 1, l, false)
		addList(n.months, c.shortMonths, 1, l, true)
		addAlso(n.months, c.also, l, false)
		addAlso(n.months, c.alsoShort, l, true)
		addList(n.weekdays, c.weekdays, 0, l, false)
		addList(n.weekdays, c.shortWeekdays, 0, l, true)
		addAlso(n.weekdays, c.alsoWeekday, l, true)
		addList(n.seasons, c.seasons, 0, l, false)
		addAlso(n.seasons, c.alsoSeason, l, false)
	}
	return n
})

func addList(to map[string]name, list string, first int, l Language, short bool) {
	for i, w := range strings.Fields(list) {
		addName(to, dictionary.Fold(w), first+i, l, short)
	}
}

func addAlso(to map[string]name, list map[string]int, l Language, short bool) {
	for w, value := range list {
		addName(to, w, value, l, short)
	}
}

func addName(to map[string]name, w string, value int, l Language, short bool) {
	n := to[w]
	switch {
	case short && n.languages.has(l):
		n.both |= 1 << l
	case short:
		n.short |= 1 << l
	}
	n.value = value
	n.languages |= 1 << l
	to[w] = n
}

// listed is the name of a list at an index, in the case of a word as it was written.
func listed(list string, index int, like string) string {
	w := strings.Fields(list)[index]
	first, size := utf8.DecodeRuneInString(like)
	switch {
	case len(like) > size && like == strings.ToUpper(like):
		return strings.ToUpper(w)
	case unicode.IsUpper(first):
		r, n := utf8.DecodeRuneInString(w)
		return string(unicode.ToUpper(r)) + w[n:]
	}
	return strings.ToLower(w)
}

func monthName(l Language, m int, short bool, like string) string {
	if short {
		return listed(calendars[l].shortMonths, m-1, like)
	}
	return listed(calendars[l].months, m-1, like)
}

func weekdayName(l Language, d time.Weekday, short bool, like string) string {
	if short {
		return listed(calendars[l].shortWeekdays, int(d), like)
	}
	return listed(calendars[l].weekdays, int(d), like)
}

// daysIn is the number of days of a month. Without a year February has 29.
func daysIn(year, month int) int {
	if year == 0 {
		year = 2000
	}
	return time.Date(year, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day()
}

func dayAt(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}
