// SPDX-License-Identifier: Apache-2.0

package value

import "fmt"

var errDaysOrMonth = fmt.Errorf("%w: two days of a month, or a day and a month", ErrAmbiguous)

// numeric reads dates in digits: 25/12/2019, 2019-12-25, 12/2019, 25/12.
func (r *reader) numeric(i int) (int, error) {
	n := numbersAt(r.tokens, i)
	var d date
	var ok bool
	var err error
	switch len(n.values) {
	case 3:
		d, ok, err = r.three(n)
	case 2:
		if r.yearRange(n) {
			return n.next, nil
		}
		d, ok, err = r.two(&n)
	}
	if err != nil || !ok {
		return i, err
	}
	if n.next < len(r.tokens) && !r.tokens[n.next].blank && r.tokens[n.next].kind == number {
		return i, nil
	}
	d.numeric = true
	if n.mark == '-' && len(n.values) == 2 && r.is(n.next, "/") || d.unit == unitMonth && r.openDay(i) {
		return i, errDaysOrMonth
	}
	r.add(d)
	return n.next, nil
}

// openDay reports whether a numeric day without a year and a hyphen stand directly before
// token i: 03/04-09/2019.
func (r *reader) openDay(i int) bool {
	if len(r.dates) == 0 || !r.is(i-1, "-") || !r.adjacent(i) || !r.adjacent(i-1) {
		return false
	}
	last := r.dates[len(r.dates)-1]
	return last.numeric && last.unit == unitDay && !last.hasYear()
}

// three reads day, month and year in the order that sizes and values show.
func (r *reader) three(n numbers) (d date, ok bool, err error) {
	v, s := n.values, n.size
	switch {
	case s[0] == 4 && s[1] <= 2 && s[2] <= 2:
		d = date{year: v[0], month: v[1], day: v[2]}
		d.parts = []part{r.digits(partYear, n.at[0]), r.digits(partMonth, n.at[1]), r.digits(partDay, n.at[2])}
	case s[0] == 2 && v[0] > 31 && s[1] <= 2 && s[2] <= 2:
		d = date{year: v[0], month: v[1], day: v[2], shortYear: true}
		d.parts = []part{r.digits(partYear, n.at[0]), r.digits(partMonth, n.at[1]), r.digits(partDay, n.at[2])}
	case s[0] <= 2 && s[1] <= 2 && (s[2] == 2 || s[2] == 4):
		if d, err = r.dayAndMonth(n); err != nil {
			return d, false, err
		}
		d.year, d.shortYear = v[2], s[2] == 2
		d.parts = append(d.parts, r.digits(partYear, n.at[2]))
	default:
		return d, false, nil
	}
	return d, true, d.check()
}

// two reads a month and a year, or a day and a month, which a year may follow: "13/05 de 2017".
func (r *reader) two(n *numbers) (d date, ok bool, err error) {
	v, s := n.values, n.size
	switch {
	case s[0] == 4 && s[1] <= 2 && n.mark != '.':
		d = date{unit: unitMonth, year: v[0], month: v[1]}
		d.parts = []part{r.digits(partYear, n.at[0]), r.digits(partMonth, n.at[1])}
	case s[0] <= 2 && (s[1] == 4 || s[1] == 2 && v[1] > 31 && n.mark != '.'):
		d = date{unit: unitMonth, year: v[1], month: v[0], shortYear: s[1] == 2}
		d.parts = []part{r.digits(partMonth, n.at[0]), r.digits(partYear, n.at[1])}
	case s[0] <= 2 && s[1] <= 2 && (n.mark == '/' || n.mark == '-' || n.dot):
		if d, err = r.dayAndMonth(*n); err != nil {
			return d, false, err
		}
		d.numeric = true
		n.next = r.yearBehind(&d, n.next)
	default:
		return d, false, nil
	}
	return d, true, d.check()
}

// dayAndMonth decides which of two numbers is the day.
func (r *reader) dayAndMonth(n numbers) (date, error) {
	a, b := n.values[0], n.values[1]
	var d date
	switch order := r.context.Order; {
	case a > 12 && b > 12:
		return d, fmt.Errorf("%w: no month is greater than 12", ErrImpossible)
	case a > 12:
		d.dayFirst = true
	case b > 12:
	case order == Unknown && n.mark == '.': // dots are European
		d.dayFirst = true
	case order == Unknown:
		d.ambiguous = true
	default:
		d.dayFirst = order == DayFirst
	}
	first, second := partMonth, partDay
	d.month, d.day = a, b
	if d.dayFirst {
		first, second = partDay, partMonth
		d.day, d.month = a, b
	}
	d.parts = []part{r.digits(first, n.at[0]), r.digits(second, n.at[1])}
	return d, nil
}

// yearRange reads 2018-19 as two years.
func (r *reader) yearRange(n numbers) bool {
	v, s := n.values, n.size
	if s[0] != 4 || s[1] != 2 || v[1] <= 12 || n.mark != '-' && n.mark != '/' || v[0] < minYear || v[0] > maxYear || v[1] <= v[0]%100 {
		return false
	}
	r.add(date{unit: unitYear, year: v[0], parts: []part{r.digits(partYear, n.at[0])}})
	r.interval = true
	r.add(date{unit: unitYear, year: v[0] - v[0]%100 + v[1], parts: []part{r.digits(partYear, n.at[1])}})
	return true
}

// stamp reads 20190304 and timestamps that start so.
func (r *reader) stamp(i int) (int, error) {
	size := r.size(i)
	if size != 8 && size != 12 && size != 14 {
		return i, nil
	}
	t := r.tokens[i]
	at := func(from, to int) int { return token{kind: number, text: t.text[from:to]}.value() }
	d := date{year: at(0, 4), month: at(4, 6), day: at(6, 8), numeric: true}
	if d.year < minYear || d.year > maxYear {
		return i, nil
	}
	d.parts = []part{
		{kind: partYear, start: t.start, end: t.start + 4, width: 4},
		{kind: partMonth, start: t.start + 4, end: t.start + 6, width: 2},
		{kind: partDay, start: t.start + 6, end: t.start + 8, width: 2},
	}
	if err := d.check(); err != nil {
		return i, err
	}
	r.add(d)
	return i + 1, nil
}

// year reads a year: 2019, '19, FY19.
func (r *reader) year(i int) (int, error) {
	at := i
	short := false
	switch {
	case r.is(i, "fy") && r.adjacent(i+1), r.is(i, "'", "’") && r.adjacent(i+1):
		at, short = i+1, true
	case r.is(i, "ano", "anos") && r.size(i+1) == 2 && r.value(i+1) < 100 && !r.is(i+2, ","):
		return i, nil // "años 90" is a decade
	}
	size := r.size(at)
	if size != 4 && (size != 2 || !short) {
		return i, nil
	}
	d := date{unit: unitYear, year: r.value(at), shortYear: size == 2, parts: []part{r.digits(partYear, at)}}
	if err := d.check(); err != nil {
		return i, err
	}
	r.add(d)
	return at + 1, nil
}

// decade reads 1990s, 90's and "años 90".
func (r *reader) decade(i int) (int, error) {
	at, next := i, i
	switch {
	case r.is(i, "anos", "annees") && r.size(i+1) > 0:
		at, next = i+1, i+2
		if r.value(at)%10 != 0 {
			return i, nil
		}
	case r.is(i, "'", "’") && r.size(i+1) == 2 && r.is(i+2, "s"):
		at, next = i+1, i+3
	case r.is(i+1, "s") && r.adjacent(i+1):
		next = i + 2
	case r.is(i+1, "'", "’") && r.is(i+2, "s"):
		next = i + 3
	case r.is(i+1, "er") && r.adjacent(i+1):
		next = i + 2
	default:
		return i, nil
	}
	if size := r.size(at); size != 2 && size != 4 || r.value(at)%10 != 0 {
		return i, nil
	}
	d := date{unit: unitDecade, year: r.value(at), shortYear: r.size(at) == 2, parts: []part{r.digits(partDecade, at)}}
	if err := d.check(); err != nil {
		return i, err
	}
	r.add(d)
	return next, nil
}

// check refuses parts that no date has.
func (d date) check() error {
	switch {
	case !d.shortYear && (d.year != 0 || d.hasYear()) && (d.year < minYear || d.year > maxYear):
		return fmt.Errorf("%w: the year is not in %d to %d", ErrImpossible, minYear, maxYear)
	case d.unit <= unitMonth && (d.month < 1 || d.month > 12):
		return fmt.Errorf("%w: there is no such month", ErrImpossible)
	case d.unit == unitDay && d.day < 1:
		return fmt.Errorf("%w: there is no day 0", ErrImpossible)
	case d.unit == unitDay && !d.shortYear && d.day > daysIn(d.year, d.month), d.unit == unitDay && d.day > daysIn(0, d.month):
		return fmt.Errorf("%w: the month has fewer days", ErrImpossible)
	}
	return nil
}
