// SPDX-License-Identifier: Apache-2.0

package value

// numericDays reads days in front of a numeric date whose month they share: "11.-13.03.2024",
// "3 al 9/3/2019", "11./12.03.2024". The day comes first in all of them. If the text does not
// show it and the context does not say it, the dates are ambiguous.
func (r *reader) numericDays(i int) (int, error) {
	items, n := r.daysBeforeNumber(i)
	if len(items) == 0 {
		return i, nil
	}
	last := r.dayFirstDate(n)
	dotted := r.is(items[0].next-1, ".") || n.mark == '.' && r.context.Order == Unknown
	last.ambiguous = !dotted && last.day <= 12 && r.context.Order != DayFirst
	owner := len(r.dates) + len(items) + 1
	days := make([]date, 0, len(items)+1)
	for _, item := range items {
		one := last
		one.day, one.parts, one.month0 = item.day, item.parts[:1], owner
		one.year, one.shortYear = 0, false // it is written behind the last day
		days = append(days, one)
	}
	if err := r.addSharing(append(days, last), append(items, dayItem{parts: last.parts})); err != nil {
		return i, err
	}
	r.shareWidths(owner-len(items)-1, owner)
	return n.next, nil
}

// dayFirstDate is the date of a day, a month and perhaps a year.
func (r *reader) dayFirstDate(n numbers) date {
	d := date{day: n.values[0], month: n.values[1], dayFirst: true, numeric: true}
	d.parts = []part{r.digits(partDay, n.at[0]), r.digits(partMonth, n.at[1])}
	if len(n.values) == 3 {
		d.year, d.shortYear = n.values[2], n.size[2] == 2
		d.parts = append(d.parts, r.digits(partYear, n.at[2]))
	}
	return d
}

// daysBeforeNumber are the days from token i to a numeric date with a year or with dots, and the
// numbers of this date. There are none if the tokens are something else.
func (r *reader) daysBeforeNumber(i int) (items []dayItem, n numbers) {
	for at := i; len(items) < maxDays; {
		n = numbersAt(r.tokens, at)
		if isDayMonth(n) {
			return items, n
		}
		item, ok := r.dayItem(at)
		if !ok || item.parts[0].kind != partDay || item.parts[1].start < item.parts[1].end {
			break
		}
		items = append(items, item)
		at = item.next
		for r.isJoin(at) && r.wordlessWeekday(at) || r.slashBehindDot(at) {
			at++
		}
		if at == item.next {
			break
		}
	}
	return nil, n
}

// isDayMonth reports whether numbers are a day and a month with slashes and a year, or with dots.
func isDayMonth(n numbers) bool {
	switch {
	case len(n.values) < 2 || n.size[0] > 2 || n.size[1] > 2:
		return false
	case len(n.values) == 2:
		return n.dot
	}
	return (n.mark == '/' || n.mark == '.') && (n.size[2] == 2 || n.size[2] == 4)
}

// shareWidths gives the numbers of dates that share a month one least number of digits.
func (r *reader) shareWidths(from, to int) {
	all := date{numeric: true}
	for _, one := range r.dates[from:to] {
		all.parts = append(all.parts, one.parts...)
	}
	setWidths(r.text, &all)
	at := 0
	for _, one := range r.dates[from:to] {
		at += copy(one.parts, all.parts[at:])
	}
}
