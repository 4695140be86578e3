// SPDX-License-Identifier: Apache-2.0

package value

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// partKind is what a part of a text says.
type partKind int

const (
	partDay partKind = iota
	partDayWord
	partSuffix  // of a day, may be empty
	partElision // the French "de" or "d'" before a month
	partMonth
	partMonthName
	partYear
	partDecade
	partQuarter
	partSeason
	partWeekday
	partHoliday
	partInsert // a month that days do not share any more
)

// part is a piece of a text that a shift writes anew.
type part struct {
	kind       partKind
	start, end int // bytes of the text
	width      int // least number of digits
	number     int // of a weekday or a day in words
	short      bool
	shortIn    languages // in which the word is an abbreviation, if that depends on it
	before     string    // of an inserted month: what stands before and behind it
	behind     string
	like       string // of an inserted month: the month as the text has it
}

// digits is the part that is number token i.
func (r *reader) digits(kind partKind, i int) part {
	t := r.tokens[i]
	return part{kind: kind, start: t.start, end: t.end, width: t.end - t.start}
}

// setWidths finds the least number of digits of day and month. A number below 10 shows it;
// another one follows the other number of the date. Where neither shows it, numeric dates
// have two digits and others one.
func setWidths(text string, d *date) {
	width := 1
	if d.numeric {
		width = 2
	}
	var open []int
	for i, p := range d.parts {
		if p.kind != partDay && p.kind != partMonth {
			continue
		}
		switch {
		case p.end-p.start == 1:
			width = 1
		case text[p.start] == '0':
			width = 2
		default:
			open = append(open, i)
		}
	}
	for _, i := range open {
		d.parts[i].width = width
	}
}

// Shift writes the dates moved by a number of days, in the form they had: language, order,
// separators, leading zeros, digits of the year, case and abbreviation of months. A weekday
// moves with them; times of day and other words stay.
//
//   - A date without a day, such as "March 2019" or "Q1 2020", moves from the middle of its
//     month, quarter, year or decade; so intervals from it are kept only roughly.
//   - A date without a year has none afterwards either.
//   - Days that share a month are written with two months if they share it no more.
//   - A holiday becomes a date: "Christmas 2019" is written "February 3, 2020".
//   - A season is the quarter of the year that it mostly lies in: winter is the first.
//
// The error wraps ErrRange if a date leaves the years 1800 to 2200, and ErrForm if the text
// would read as another date than the shifted one.
func (d Dates) Shift(days int) (string, error) {
	if d.ambiguous {
		return "", ErrAmbiguous
	}
	if days == 0 {
		return d.text, nil
	}
	const most = (maxYear - minYear + 1) * 366
	if days > most || days < -most {
		return "", fmt.Errorf("%w: a shift by %d days", ErrRange, days)
	}
	moved := make([]time.Time, len(d.dates))
	var edits []edit
	for i, one := range d.dates {
		moved[i] = one.at.AddDate(0, 0, days)
		if y := moved[i].Year(); y < minYear || y > maxYear {
			return "", fmt.Errorf("%w: a shift by %d days", ErrRange, days)
		}
		for _, p := range one.parts {
			edits = append(edits, edit{p, moved[i]})
		}
	}
	for i := range d.dates {
		if p, ok := d.insertion(i, moved); ok {
			edits = append(edits, edit{p, moved[i]})
		}
	}
	for _, p := range d.weekdays {
		edits = append(edits, edit{p, time.Time{}.AddDate(0, 0, (p.number-1+days%7+7)%7)}) // year 1 starts on a Monday
	}
	text := d.write(edits)
	if !d.readsAs(text, moved) {
		return "", fmt.Errorf("%w: a shift by %d days", ErrForm, days)
	}
	return text, nil
}

// edit is a part and the date that it is written for.
type edit struct {
	part
	at time.Time
}

// write is the text with all edits made.
func (d Dates) write(edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		b.WriteString(d.text[at:e.start])
		b.WriteString(d.written(e))
		at = e.end
	}
	b.WriteString(d.text[at:])
	return b.String()
}

// insertion is the month of a day that shared it with another one and does not any more.
func (d Dates) insertion(i int, moved []time.Time) (p part, ok bool) {
	one := d.dates[i]
	if one.month0 == 0 || moved[i].Month() == moved[one.month0-1].Month() {
		return p, false
	}
	owner := d.dates[one.month0-1]
	var month, day part
	for _, q := range owner.parts {
		switch q.kind {
		case partMonthName, partMonth:
			month = q
		case partDay, partDayWord:
			day = q
		case partSuffix:
			if owner.dayFirst && q.end > day.end {
				day.end = q.end
			}
		}
	}
	p = part{kind: partInsert, short: month.short, shortIn: month.shortIn, width: month.width, like: d.text[month.start:month.end]}
	if !owner.dayFirst {
		p.start, p.end = one.parts[0].start, one.parts[0].start
		p.behind = d.text[month.end:day.start]
		return p, true
	}
	last := one.parts[len(one.parts)-1].end
	p.before = d.text[day.end:month.start]
	if month.kind == partMonth && p.before == "." {
		p.behind = "."
	}
	if strings.HasPrefix(p.before, ".") && strings.HasPrefix(d.text[last:], ".") {
		last++
		p.before = p.before[1:]
	}
	p.start, p.end = last, last
	return p, true
}

// written is the new text of a part.
func (d Dates) written(e edit) string {
	old := d.text[e.start:e.end]
	number := func(n int) string { return fmt.Sprintf("%0*d", e.width, n) }
	switch e.kind {
	case partDay:
		return number(e.at.Day())
	case partDayWord:
		if e.number == e.at.Day() {
			return old
		}
		return strconv.Itoa(e.at.Day()) + d.suffix("th", e.at.Day())
	case partSuffix:
		return d.suffix(old, e.at.Day())
	case partElision:
		return d.elision(old, int(e.at.Month()))
	case partMonth:
		return number(int(e.at.Month()))
	case partMonthName:
		return monthName(d.language, int(e.at.Month()), e.isShort(d.language), old)
	case partInsert:
		month := monthName(d.language, int(e.at.Month()), e.isShort(d.language), e.like)
		if e.width > 0 {
			month = number(int(e.at.Month()))
		}
		return e.before + month + e.behind
	case partYear:
		return yearLike(e.at.Year(), old)
	case partDecade:
		return yearLike(e.at.Year()-e.at.Year()%10, old)
	case partQuarter:
		return number(quarterOf(e.at))
	case partSeason:
		return listed(calendars[d.language].seasons, quarterOf(e.at)-1, old)
	case partWeekday:
		return weekdayName(d.language, e.at.Weekday(), e.isShort(d.language), old)
	default:
		return d.holidayDate(e)
	}
}

func (p part) isShort(l Language) bool { return p.short || p.shortIn.has(l) }

func quarterOf(t time.Time) int { return (int(t.Month())-1)/3 + 1 }

// yearLike is a year with as many digits as an old one.
func yearLike(year int, old string) string {
	if len(old) == 2 {
		return fmt.Sprintf("%02d", year%100)
	}
	return strconv.Itoa(year)
}

// suffix is what stands behind the digits of a day: "th" in English, "er" behind a French 1,
// and a Spanish "º" behind the 1 that had it.
func (d Dates) suffix(old string, day int) string {
	switch {
	case d.language == English && old != "":
		s := "th"
		if day < 11 || day > 13 {
			s = []string{"th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th"}[day%10]
		}
		if old == strings.ToUpper(old) {
			s = strings.ToUpper(s)
		}
		return s
	case d.language == French && day == 1:
		return "er"
	case day == 1:
		return old
	}
	return ""
}

// elision is the French "de" or "d'" before a month. Other languages keep their word.
func (d Dates) elision(old string, month int) string {
	vowel := strings.ContainsAny(strings.Fields(calendars[French].months)[month-1][:1], "aeiou")
	elided := strings.ContainsAny(old, "'’")
	switch {
	case d.language != French || vowel == elided:
		return old
	case vowel:
		return "d'"
	}
	return "de "
}

// holidayDate is a date in place of a holiday.
func (d Dates) holidayDate(e edit) string {
	day, month := strconv.Itoa(e.at.Day()), int(e.at.Month())
	rest := strings.TrimPrefix(d.text[e.end:], " ")
	year := rest != "" && isDigit(rune(rest[0])) // it follows at once
	switch d.language {
	case English:
		name := monthName(English, month, false, "M") + " " + day
		if year {
			return name + ","
		}
		return name
	case Spanish:
		name := day + " de " + monthName(Spanish, month, false, "m")
		if year {
			return name + " de"
		}
		return name
	case French:
		name := day + d.suffix("", e.at.Day()) + " " + monthName(French, month, false, "m")
		if old := d.text[e.start:e.end]; strings.HasPrefix(old, "l'") || strings.HasPrefix(old, "l’") || strings.HasPrefix(old, "l ") {
			return "le " + name
		}
		return name
	}
	return day + ". " + monthName(German, month, false, "M")
}

// readsAs reports whether a text holds the dates that a shift was to give.
func (d Dates) readsAs(text string, moved []time.Time) bool {
	c := d.context
	c.Language = d.language
	c.Order = d.shownOrder()
	again, err := ReadDates(text, c)
	if err != nil || len(again.dates) != len(d.dates) || len(again.weekdays) != len(d.weekdays) {
		return false
	}
	for i, one := range again.dates {
		if d.dates[i].unit == unitDay && one.unit != unitDay {
			return false
		}
		if d.dates[i].full() && (!one.full() || !one.at.Equal(moved[i])) && !d.centuryLost(one, moved[i]) {
			return false
		}
	}
	return true
}

// centuryLost reports whether two days differ only by the century that two digits leave open.
func (d Dates) centuryLost(one date, moved time.Time) bool {
	return (one.at.Year()-moved.Year())%100 == 0 && one.at.Month() == moved.Month() && one.at.Day() == moved.Day()
}

// shownOrder is the order that the text shows, or that of the context.
func (d Dates) shownOrder() Order {
	if o := OrderOf([]string{d.text}); o != Unknown {
		return o
	}
	return d.context.Order
}
