// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The forms of full dates that the check of shifts reads: 2019-03-14, and 3/14/2019 or
// 14.3.2019, whose order it does not know.
var (
	isoDate     = regexp.MustCompile(`\b([0-9]{4})-([0-9]{2})-([0-9]{2})\b`)
	numericDate = regexp.MustCompile(`\b([0-9]{1,2})([/.-])([0-9]{1,2})([/.-])([0-9]{4})\b`)
	timeOfDay   = regexp.MustCompile(`\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?`)
)

// checkShift checks that the dates of a place move by days by which all other dates of the
// patient may have moved, within the limit of the policy. It does not read dates in other forms
// than the two above, and counts their places.
func (c *textChecker) checkShift(row mappingRow, p replacedPlace) error {
	patient := strconv.Itoa(row.Patient)
	if row.Patient == 0 {
		patient = "note " + row.ID // of a patient who is not known
	}
	was, rest := fullDates(p.was)
	is, _ := fullDates(p.is)
	if len(was) == 0 || hasDate(rest) {
		c.report.ShiftUnread++
	}
	if len(was) != len(is) {
		return errors.New("does not show its dates in the form that they had")
	}
	for i := range was {
		days := was[i].to(is[i])
		for d := range days {
			if d == 0 || max(d, -d) > c.policy.mostDays() || c.policy.inWeeks() && d%7 != 0 {
				delete(days, d)
			}
		}
		if len(days) == 0 {
			return errors.New("shows a date that did not move within the limit of the policy")
		}
		if before, seen := c.shifts[patient]; seen {
			for d := range days {
				if !before[d] {
					delete(days, d)
				}
			}
		}
		if len(days) == 0 {
			return errors.New("shows a date that moved by other days than other dates of its patient")
		}
		c.shifts[patient] = days
		c.report.Shifted++
	}
	return nil
}

func (p *policyFile) mostDays() int {
	if p.Shift == nil {
		return 0
	}
	return p.Shift.Days
}

func (p *policyFile) inWeeks() bool { return p.Shift != nil && p.Shift.Weeks }

// readings are the days that a date can be, by order: year first, month first, day first.
type readings map[string]time.Time

// to are the days between two dates that have the same order.
func (r readings) to(other readings) map[int]bool {
	days := map[int]bool{}
	for order, from := range r {
		if until, both := other[order]; both {
			days[int(until.Sub(from)/(24*time.Hour))] = true
		}
	}
	return days
}

// fullDates reads the full dates of a text. The rest is the text without them.
func fullDates(text string) (out []readings, rest string) {
	rest = text
	found := func(r readings, date string) {
		if len(r) > 0 {
			out, rest = append(out, r), strings.Replace(rest, date, " ", 1)
		}
	}
	for _, m := range isoDate.FindAllStringSubmatch(text, -1) {
		r := readings{}
		r.add("year first", m[1], m[2], m[3])
		found(r, m[0])
	}
	for _, m := range numericDate.FindAllStringSubmatch(text, -1) {
		if m[2] != m[4] {
			continue
		}
		r := readings{}
		r.add("month first "+m[2], m[5], m[1], m[3])
		r.add("day first "+m[2], m[5], m[3], m[1])
		found(r, m[0])
	}
	return out, rest
}

// hasDate reports whether a text has a part of a date: a digit outside of a time, or the name of a
// month.
func hasDate(text string) bool {
	text = timeOfDay.ReplaceAllString(text, " ")
	return strings.ContainsAny(text, "0123456789") || slices.ContainsFunc(word.FindAllString(strings.ToLower(text), -1), isMonth)
}

// add adds a reading if there is such a day.
func (r readings) add(order, year, month, day string) {
	y, _ := strconv.Atoi(year) // digits
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if t.Year() == y && int(t.Month()) == m && t.Day() == d {
		r[order] = t
	}
}
