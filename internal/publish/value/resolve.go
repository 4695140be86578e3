// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"time"
)

const (
	yearsAhead  = 5    // a two-digit year is at most so many years after the reference
	assumedYear = 2001 // of dates without a year and a reference; it has no 29 February
	leapYear    = 2000 // the same for 29 February
)

func (d date) hasYear() bool {
	for _, p := range d.parts {
		if p.kind == partYear || p.kind == partDecade {
			return true
		}
	}
	return false
}

// resolve finds the day of every date.
func (d *Dates) resolve() error {
	for i := range d.dates {
		d.ambiguous = d.ambiguous || d.dates[i].ambiguous
		if err := d.century(&d.dates[i]); err != nil {
			return err
		}
	}
	for i := range d.dates {
		one := &d.dates[i]
		if one.hasYear() {
			continue
		}
		if err := d.findYear(i); err != nil {
			return err
		}
	}
	for i := range d.dates {
		if err := d.dates[i].anchor(); err != nil {
			return err
		}
	}
	return nil
}

// century turns a two-digit year into a full one: the last such year that is at most
// yearsAhead after the reference. Without a reference a full year of the text serves.
func (d *Dates) century(one *date) error {
	if !one.shortYear {
		return nil
	}
	ref := d.context.Reference.Year()
	if d.context.Reference.IsZero() {
		ref = 0
		for _, other := range d.dates {
			if other.hasYear() && !other.shortYear {
				ref = other.year
			}
		}
	}
	if ref == 0 {
		return fmt.Errorf("%w: its year has two digits, and no other date gives the century", ErrAmbiguous)
	}
	last := ref + yearsAhead
	one.year += last - last%100
	if one.year > last {
		one.year -= 100
	}
	if one.year < minYear || one.year > maxYear {
		return fmt.Errorf("%w: the year is not in %d to %d", ErrImpossible, minYear, maxYear)
	}
	one.shortYear = false
	return nil
}

// findYear gives a date without a year that of the next date that has one, of the last one
// before it, or of the reference. Dates of one text are in order, so a year may change between.
func (d *Dates) findYear(i int) error {
	one := &d.dates[i]
	if one.month == 0 && one.holiday == nil && one.unit == unitDay {
		return d.findMonth(one)
	}
	for j := i + 1; j < len(d.dates); j++ {
		if other := d.dates[j]; other.hasYear() {
			one.year = other.year
			if d.owner(i) != d.owner(j) && other.month != 0 && one.month != 0 && one.after(other) {
				one.year--
			}
			return nil
		}
	}
	for j := i - 1; j >= 0; j-- {
		if other := d.dates[j]; other.hasYear() || other.from == written && other.year != 0 {
			one.year = other.year
			if d.owner(i) != d.owner(j) && other.month != 0 && one.month != 0 && other.after(*one) {
				one.year++
			}
			return nil
		}
	}
	return d.nearestYear(one)
}

// owner is the index of the date whose month a date shares, or its own.
func (d *Dates) owner(i int) int {
	if shared := d.dates[i].month0; shared > 0 {
		return shared - 1
	}
	return i
}

// after reports whether a date is later in a year than another. A month has all its days.
func (d date) after(other date) bool {
	if d.month != other.month || d.unit != unitDay || other.unit != unitDay {
		return d.month > other.month
	}
	return d.day > other.day
}

// nearestYear gives a date the year in which it is nearest to the reference.
func (d *Dates) nearestYear(one *date) error {
	one.from = inferred
	ref := d.context.Reference
	if ref.IsZero() {
		one.from = assumed
		one.year = assumedYear
		switch {
		case one.holiday != nil && one.holiday.in != nil:
			return fmt.Errorf("%w: the day of this holiday depends on the year, which nothing gives", ErrAmbiguous)
		case one.month == 2 && one.day == 29:
			one.year = leapYear
		}
		return nil
	}
	best := time.Duration(-1)
	found := 0
	for y := max(minYear, ref.Year()-8); y <= min(maxYear, ref.Year()+8); y++ {
		try := *one
		try.year = y
		if try.anchor() != nil {
			continue
		}
		if gap := ref.Sub(try.at).Abs(); best < 0 || gap < best {
			best, found = gap, y
		}
	}
	if found == 0 {
		return fmt.Errorf("%w: the reference is not in the years %d to %d", ErrAmbiguous, minYear, maxYear)
	}
	one.year = found
	return nil
}

// findMonth gives a day without a month the one in which it is nearest to the reference, on
// the weekday that the text gives if there is such a month near.
func (d *Dates) findMonth(one *date) error {
	ref := d.context.Reference
	if ref.IsZero() || ref.Year() < minYear || ref.Year() > maxYear {
		return fmt.Errorf("%w: nothing gives the month of the day", ErrAmbiguous)
	}
	one.from = inferred
	today := dayAt(ref.Year(), int(ref.Month()), ref.Day())
	const near = 100 // days
	for _, exact := range []bool{true, false} {
		if exact && one.weekday == 0 {
			continue
		}
		for away := 0; away <= near; away++ {
			for _, at := range []time.Time{today.AddDate(0, 0, -away), today.AddDate(0, 0, away)} {
				if at.Day() == one.day && (!exact || int(at.Weekday()) == one.weekday-1) {
					one.year, one.month = at.Year(), int(at.Month())
					return nil
				}
			}
		}
	}
	return fmt.Errorf("%w: nothing gives the month of the day", ErrAmbiguous)
}

// anchor sets the day of a date: itself, or the middle of a month, quarter, year or decade.
func (d *date) anchor() error {
	if d.year < minYear || d.year > maxYear {
		return fmt.Errorf("%w: the year is not in %d to %d", ErrImpossible, minYear, maxYear)
	}
	switch d.unit {
	case unitMonth:
		d.at = dayAt(d.year, d.month, 15)
	case unitQuarter:
		d.at = dayAt(d.year, d.month+1, 15)
	case unitYear:
		d.at = dayAt(d.year, 7, 2)
	case unitDecade:
		d.at = dayAt(d.year+5, 1, 1)
	default:
		if d.holiday != nil {
			d.at = d.holiday.date(d.year)
			return nil
		}
		if d.day > daysIn(d.year, d.month) {
			return fmt.Errorf("%w: the month has fewer days", ErrImpossible)
		}
		d.at = dayAt(d.year, d.month, d.day)
	}
	return nil
}
