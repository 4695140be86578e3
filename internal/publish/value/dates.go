// SPDX-License-Identifier: Apache-2.0

// Package value reads what identifiers say that released text may keep in part: dates, ages,
// ZIP codes and places. It generalizes and shifts them, and writes them in the form they had.
//
//	d, err := value.ReadDates("3 de marzo de 2019", value.Context{})
//	text, err := d.Shift(40)     // "12 de abril de 2019"
//	year, err := d.Year()        // "2019"
//	age, err := value.ReadAge("97-year-old")
//	age.Cap("97-year-old")       // "90+ year old"
//	prefix, err := value.ZIP3("03601-1234") // "000"
//
// It reads English, Spanish, French and German. A text that it does not understand to the last
// word is an error, because such a text could hold more than a date. Errors and logs never
// hold the text.
package value

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
	"unicode/utf8"
)

// Errors of dates.
var (
	ErrNotDate    = errors.New("not a date")                               // no date, or words that do not belong to dates
	ErrAmbiguous  = errors.New("a date that can be read in several ways")  // 03/04/2019, or a two-digit year
	ErrImpossible = errors.New("a date or age that does not exist")        // 30 February, month 13, age 200
	ErrNoYear     = errors.New("a date without a year")                    // 14 March
	ErrRange      = errors.New("a date outside of the years 1800 to 2200") // after a shift
	ErrForm       = errors.New("a shifted date that has no such form")     // its text would read as another date
)

// Years that a date can have. Limits keep shifts within what every program reads.
const (
	minYear = 1800
	maxYear = 2200
)

// maxText is the longest text of a date or an age, in bytes.
const maxText = 1000

// Order says which part of a numeric date comes first where a note does not show it.
type Order int

// The orders.
const (
	Unknown Order = iota
	MonthFirst
	DayFirst
)

// Context is what a note tells about its dates. The zero value is a note that tells nothing.
type Context struct {
	// Order is how the note writes numeric dates.
	Order Order
	// Reference is the date of the note or another date of the patient, zero if unknown. It
	// gives the century of two-digit years, and the year of dates without one.
	Reference time.Time
	// Language decides what the words leave open: "oct" is English, Spanish and French.
	Language Language
}

// Dates is what a span labelled as date holds: one date, several, or an interval, with the
// words around them.
type Dates struct {
	text      string
	context   Context
	language  Language
	dates     []date
	weekdays  []part
	ambiguous bool
}

// unit is how exact a date is.
type unit int

const (
	unitDay unit = iota
	unitMonth
	unitQuarter
	unitYear
	unitDecade
)

// origin says where the year of a date comes from.
type origin int

const (
	written  origin = iota // from the text
	inferred               // from the reference
	assumed                // from nothing: a year that has no 29 February
)

// date is one date of a span. Parts that are not given are 0.
type date struct {
	unit             unit
	day, month, year int
	shortYear        bool   // year holds two digits
	parts            []part // what a shift writes anew, in order
	dayFirst         bool   // the day stands before the month
	numeric          bool   // it is written in digits only
	ambiguous        bool   // day and month can be exchanged
	interval         bool   // it ends an interval that the date before it starts
	month0           int    // 1 more than the index of the date whose month it shares, or 0
	holiday          *holiday
	weekday          int // 1 more than the weekday before the date, or 0

	at   time.Time // the day, or the middle of the month, quarter, year or decade
	from origin
}

// LogValue keeps the text out of logs.
func (d Dates) LogValue() slog.Value { return slog.StringValue(d.String()) }

// String says how many dates there are and not which.
func (d Dates) String() string { return fmt.Sprintf("%d dates", len(d.dates)) }

// GoString does as String, so that no verb of package fmt prints the text.
func (d Dates) GoString() string { return d.String() }

// ReadDates reads the text of a date span. Its errors wrap ErrNotDate, ErrAmbiguous or
// ErrImpossible. With ErrAmbiguous the dates can still tell their Year if the text does.
//
// Words that stand for no date but for time, such as "yesterday" and "three weeks", are read
// too; they are right after any shift, so Shift keeps them.
func ReadDates(text string, c Context) (Dates, error) {
	if len(text) > maxText || !utf8.ValidString(text) {
		return Dates{}, fmt.Errorf("%w: it is longer than %d bytes or not UTF-8", ErrNotDate, maxText)
	}
	if shown := OrderOf([]string{text}); shown != Unknown {
		c.Order = shown
	}
	r := &reader{text: text, context: c, tokens: scan(text), languages: allLanguages}
	if err := r.read(); err != nil {
		return Dates{}, err
	}
	d := Dates{text: text, context: c, language: r.language(), dates: r.dates, weekdays: r.weekdays}
	if err := d.resolve(); err != nil {
		d.ambiguous = true
		return d, err
	}
	if d.ambiguous {
		return d, fmt.Errorf("%w: nothing shows whether its day or its month comes first", ErrAmbiguous)
	}
	return d, nil
}

// All are the full dates of the text, in order: those with a day, a month and a year that the
// text gives.
func (d Dates) All() []time.Time {
	var all []time.Time
	for _, one := range d.dates {
		if one.full() && !d.ambiguous {
			all = append(all, one.at)
		}
	}
	return all
}

// full reports whether the text gives day, month and year.
func (d date) full() bool { return d.unit == unitDay && d.from == written }

// Partial reports whether a day, month or year is missing in some date. Intervals from and to
// such a date are kept only as exactly as they were written.
func (d Dates) Partial() bool {
	return len(d.dates) == 0 || slices.ContainsFunc(d.dates, func(one date) bool { return !one.full() })
}

// LanguageOf is the language that the dates of a note or a corpus show by words that only it
// has: "3 de enero" shows Spanish. The majority decides; a tie and no evidence are AnyLanguage.
func LanguageOf(texts []string) Language {
	var votes [German + 1]int
	for _, text := range texts {
		if len(text) > maxText || !utf8.ValidString(text) {
			continue
		}
		r := &reader{text: text, tokens: scan(text), languages: allLanguages, context: Context{Order: DayFirst}}
		if r.read() != nil {
			continue
		}
		for l := English; l <= German; l++ {
			if r.languages == 1<<l {
				votes[l]++
			}
		}
	}
	best := AnyLanguage
	for l := English; l <= German; l++ {
		switch {
		case votes[l] > votes[best]:
			best = l
		case votes[l] == votes[best] && votes[l] > 0:
			return AnyLanguage
		}
	}
	return best
}

// OrderOf is the order that the numeric dates of a note or a corpus show: "25/12/2019" shows
// DayFirst. The majority decides; a tie and no evidence are Unknown.
func OrderOf(texts []string) Order {
	balance := 0
	for _, text := range texts {
		tokens := scan(text)
		for i := 0; i < len(tokens); {
			n := numbersAt(tokens, i)
			if i = max(n.next, i+1); len(n.values) == 2 && n.mark == '-' {
				i = n.at[1] // the second day of "14-15/3/2019"
			}
			if len(n.values) < 2 || n.size[0] > 2 || n.size[1] > 2 || len(n.values) == 2 && n.mark != '/' && !n.dot {
				continue
			}
			switch a, b := n.values[0], n.values[1]; {
			case 12 < a && a <= 31 && 0 < b && b <= 12:
				balance++
			case 12 < b && b <= 31 && 0 < a && a <= 12:
				balance--
			}
		}
	}
	switch {
	case balance > 0:
		return DayFirst
	case balance < 0:
		return MonthFirst
	}
	return Unknown
}
