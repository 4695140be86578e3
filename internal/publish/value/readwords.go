// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"slices"
	"strings"
)

// maxDays is the number of days that can share a month: "3, 5 and 9 March".
const maxDays = 12

// dayItem is a day of a list.
type dayItem struct {
	parts []part
	day   int
	next  int // the token behind the day and its suffix
}

// suffixes are behind the digits of a day.
var suffixes = setOf("st nd rd th er o a eme ero ten")

// dayItem reads a day of the month: 3, 3rd, 1er, 3., primero.
func (r *reader) dayItem(i int) (d dayItem, ok bool) {
	if i >= len(r.tokens) {
		return d, false
	}
	t := r.tokens[i]
	if n, ok := dayWords[t.text]; ok && t.kind == word {
		return dayItem{parts: []part{{kind: partDayWord, start: t.start, end: t.end, number: n}}, day: n, next: i + 1}, true
	}
	if t.kind != number || t.size() > 2 || r.is(i+1, ":") {
		return d, false
	}
	d = dayItem{parts: []part{r.digits(partDay, i)}, day: t.value(), next: i + 1}
	suffix := part{kind: partSuffix, start: t.end, end: t.end}
	switch {
	case r.is(i+1, "°") && r.adjacent(i+1), suffixes[r.wordAt(i+1)] && r.adjacent(i+1):
		suffix.end = r.tokens[i+1].end
		d.next = i + 2
	case r.is(i+1, ".") && r.adjacent(i+1):
		d.next = i + 2
	}
	d.parts = append(d.parts, suffix)
	return d, true
}

// dayList reads days before their month: "3 March 2019", "3rd of March", "14, 15 and 16 de
// marzo", "3.-9. März".
func (r *reader) dayList(i int) (int, error) {
	var items []dayItem
	var weekdays []int
	for at := i; len(items) < maxDays; {
		item, ok := r.dayItem(at)
		if !ok {
			return i, nil
		}
		items = append(items, item)
		if m := r.monthBehind(item.next); m > 0 {
			return r.addDays(items, weekdays, m)
		}
		at = item.next
		for r.isJoin(at) || r.slashBehindDot(at) {
			if _, ok := r.named(calendarNames().weekdays, at); ok {
				weekdays = append(weekdays, at)
			}
			at++
		}
		if at == item.next {
			return i, nil
		}
	}
	return i, nil
}

// isJoin reports whether token i may stand between two days of one month.
func (r *reader) isJoin(i int) bool {
	_, weekday := r.named(calendarNames().weekdays, i)
	return weekday || r.is(i, ",", "-", "–", "—", "‑", "&", "and", "y", "e", "et", "und", "o", "or", "ou", "oder", "to", "a", "al", "au", "bis", "zum", "el", "le", "les", "on", "through", "the")
}

// slashBehindDot reports whether token i joins two days as in "11./12. März".
func (r *reader) slashBehindDot(i int) bool { return r.is(i, "/") && r.is(i-1, ".") }

// monthBehind is the token of the month behind a day, 0 for none.
func (r *reader) monthBehind(i int) int {
	for skipped := 0; skipped < 3; skipped++ {
		if _, ok := r.month(i); ok {
			return i
		}
		if !r.is(i, "-", "/", "de", "of", "del", "d", "'", "’", "mes", ".", "del") {
			return 0
		}
		i++
	}
	return 0
}

// addDays adds the days of a list and what stands behind their month.
func (r *reader) addDays(items []dayItem, weekdays []int, m int) (int, error) {
	for _, w := range weekdays {
		if _, err := r.weekdayName(w); err != nil {
			return 0, err
		}
	}
	owner := len(r.dates) + len(items)
	var days []date
	for _, item := range items {
		days = append(days, date{day: item.day, dayFirst: true, parts: item.parts, month0: owner})
	}
	last := &days[len(days)-1]
	last.month0 = 0
	next := r.addMonth(last, m)
	next = r.yearBehind(last, next)
	for k := range days {
		days[k].month = last.month
	}
	return next, r.addSharing(days, items)
}

// addSharing adds days that share a month. The year behind the last day is that of all. The
// items are where the days stand.
func (r *reader) addSharing(days []date, items []dayItem) error {
	last := days[len(days)-1]
	for k, one := range days {
		whole := one
		whole.year, whole.shortYear = last.year, last.shortYear
		if err := whole.check(); err != nil {
			return err
		}
		if k > 0 {
			r.interval = r.intervalBetween(items[k-1].next, items[k])
		}
		r.add(one)
	}
	return nil
}

// intervalBetween reports whether the tokens from i to an item join an interval.
func (r *reader) intervalBetween(i int, item dayItem) bool {
	for ; i < len(r.tokens) && r.tokens[i].start < item.parts[0].start; i++ {
		if r.joinsInterval(i) {
			return true
		}
	}
	return false
}

// addMonth adds the month at token i to a date, and the French "de" or "d'" before it.
func (r *reader) addMonth(d *date, i int) int {
	n, _ := r.month(i)
	r.narrow(n.languages)
	t := r.tokens[i]
	from := i
	switch {
	case r.is(i-1, "'", "’") && r.is(i-2, "d"):
		from = i - 2
		r.narrow(1 << French)
	case r.is(i-1, "de"):
		from = i - 1
	}
	if from < i {
		d.parts = append(d.parts, part{kind: partElision, start: r.tokens[from].start, end: t.start})
	}
	d.month = n.value
	dot := r.is(i+1, ".") && r.adjacent(i+1)
	p := part{kind: partMonthName, start: t.start, end: t.end, shortIn: n.short}
	if dot {
		p.shortIn |= n.both
	}
	d.parts = append(d.parts, p)
	if dot {
		return i + 2
	}
	return i + 1
}

// yearBehind adds the year at token i, if there is one, with a comma, hyphen or "de" before it.
func (r *reader) yearBehind(d *date, i int) int {
	at, sure := i, false
	for skipped := 0; skipped < 3 && at < len(r.tokens) && r.size(at) == 0; skipped++ {
		switch {
		case r.is(at, ","), r.is(at, "ano", "l") && at > i:
		case !d.numeric && r.is(at, "-", "/", ".", "'", "’") && r.adjacent(at+1), r.is(at, "de", "del", "of"):
			sure = true
		default:
			return i
		}
		at++
	}
	v, free := r.value(at), !r.is(at+1, ":") && r.monthBehind(at+1) == 0
	switch r.size(at) {
	case 4:
		if v < minYear && v > 0 && v%100 < 60 && !sure { // a time of day
			return i
		}
		d.year = v
	case 2:
		if !free || !(sure || at == i && at+1 == len(r.tokens)) || len(d.parts) == 0 {
			return i
		}
		d.year, d.shortYear = v, true
	default:
		return i
	}
	if d.numeric && !sure {
		d.year, d.shortYear = 0, false
		return i
	}
	d.parts = append(d.parts, r.digits(partYear, at))
	return at + 1
}

// monthFirst reads "March 3, 2019", "March 3-9", "March 2019", "Mar-99" and "March".
func (r *reader) monthFirst(i int) (int, error) {
	if _, ok := r.month(i); !ok {
		return i, nil
	}
	d := date{unit: unitMonth}
	next := r.addMonth(&d, i)
	at := next
	if r.is(at, "-", "the", ",") && r.size(at+1) > 0 && r.size(at+1) <= 2 {
		at++
	}
	if r.isDayOfMonth(at) && !(r.is(at-1, "-") && r.value(at) > 31) {
		return r.daysBehind(d, at)
	}
	if n := numbersAt(r.tokens, next); n.mark == '/' && n.size[0] <= 2 && n.size[1] <= 2 {
		return i, errDaysOrMonth // "Mar 5/6"
	}
	next = r.yearBehind(&d, next)
	if err := d.check(); err != nil {
		return i, err
	}
	r.add(d)
	return next, nil
}

// isDayOfMonth reports whether token i is a day of the month before it, and not a time, a year,
// or a day of the month behind it. A number directly behind the month is its day, as in
// "April 29-May 3".
func (r *reader) isDayOfMonth(i int) bool {
	item, ok := r.dayItem(i)
	if !ok || r.tokens[i].kind != number || item.day > 31 {
		return false
	}
	if _, direct := r.month(i - 1); !direct && r.monthBehind(item.next) > 0 {
		return false
	}
	n := numbersAt(r.tokens, i)
	return len(n.values) == 1 || n.mark == '-' || n.mark == ' ' || n.dot && len(n.values) == 2
}

// daysBehind adds the days behind a month, and their year.
func (r *reader) daysBehind(d date, at int) (int, error) {
	owner := len(r.dates) + 1
	var days []date
	var starts []dayItem
	next := at
	for len(days) < maxDays && r.isDayOfMonth(at) {
		item, _ := r.dayItem(at)
		one := date{day: item.day, month: d.month, month0: owner, parts: item.parts}
		if len(days) == 0 {
			one.month0, one.parts = 0, append(d.parts, item.parts...)
		}
		days, starts, next, at = append(days, one), append(starts, item), item.next, item.next
		for r.isJoin(at) && !r.is(at, "a") && r.wordlessWeekday(at) {
			at++
		}
	}
	if len(days) == 2 && next == len(r.tokens) && r.is(starts[0].next, ",") && starts[1].next-starts[0].next == 2 {
		return 0, fmt.Errorf("%w: the last number is a day or a year", ErrAmbiguous)
	}
	last := &days[len(days)-1]
	last.parts = slices.Clone(last.parts)
	next = r.yearBehind(last, next)
	return next, r.addSharing(days, starts)
}

// wordlessWeekday reports whether token i is not a weekday.
func (r *reader) wordlessWeekday(i int) bool {
	_, ok := r.named(calendarNames().weekdays, i)
	return !ok
}

// quarter reads "Q1 2020" and "2020 Q1".
func (r *reader) quarter(i int) (int, error) {
	d := date{unit: unitQuarter}
	at := i
	if r.size(i) == 4 {
		at = i + 1
		if r.is(at, "-") {
			at++
		}
		d.year = r.value(i)
		d.parts = append(d.parts, r.digits(partYear, i))
	}
	if !r.is(at, "q") || r.size(at+1) != 1 || !r.adjacent(at+1) || r.value(at+1) < 1 || r.value(at+1) > 4 {
		return i, nil
	}
	d.month = 3*r.value(at+1) - 2
	d.parts = append(d.parts, r.digits(partQuarter, at+1))
	next := at + 2
	if at == i {
		next = r.yearBehind(&d, next)
	}
	if err := d.check(); err != nil {
		return i, err
	}
	r.add(d)
	return next, nil
}

// season reads "winter of 2019".
func (r *reader) season(i int) (int, error) {
	n, ok := r.named(calendarNames().seasons, i)
	if !ok {
		return i, nil
	}
	r.narrow(n.languages)
	t := r.tokens[i]
	d := date{unit: unitQuarter, month: 3*n.value + 1, parts: []part{{kind: partSeason, start: t.start, end: t.end}}}
	next := r.yearBehind(&d, i+1)
	if err := d.check(); err != nil {
		return i, err
	}
	r.add(d)
	return next, nil
}

// holiday reads "Christmas 2019".
func (r *reader) holiday(i int) (int, error) {
	var words []string
	var found *holiday
	next := i
	for at := i; at < len(r.tokens) && len(words) < maxHoliday; at++ {
		if at > i && r.is(at, "'", "’", ".") {
			continue
		}
		if r.tokens[at].kind != word {
			break
		}
		words = append(words, r.tokens[at].text)
		if h := holidays[strings.Join(words, " ")]; h != nil {
			found, next = h, at+1
		}
	}
	if found == nil {
		return i, nil
	}
	r.narrow(1 << found.language)
	d := date{holiday: found, month: found.month, day: found.day}
	from := i
	if r.is(i-1, "'", "’") && r.is(i-2, "l") {
		from = i - 2 // of "l'Armistice"
	}
	d.parts = []part{{kind: partHoliday, start: r.tokens[from].start, end: r.tokens[next-1].end}}
	next = r.yearBehind(&d, next)
	if d.hasYear() && !d.shortYear && (d.year < minYear || d.year > maxYear) {
		return i, date{unit: unitYear, year: d.year, parts: d.parts}.check()
	}
	r.add(d)
	return next, nil
}

// dayAlone reads the day of a month that the text does not name: "Lunes 3", "the 3rd".
func (r *reader) dayAlone(i int) (int, error) {
	item, ok := r.dayItem(i)
	if !ok || item.day < 1 || item.day > 31 || r.tokens[i].kind != number {
		return i, nil
	}
	suffix := item.parts[1]
	if suffix.start == suffix.end && r.weekday == 0 && !r.is(i-1, "the", "el", "le", "am", "den", "dia", "on") {
		return i, nil
	}
	r.add(date{day: item.day, parts: item.parts})
	return item.next, nil
}
