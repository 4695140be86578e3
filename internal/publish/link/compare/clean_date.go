// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"strings"
	"time"

	"hide/internal/publish/value"
)

// A cleaned date is YYYYMMDD. A day or month that is not given is 00. Digits that are no day
// of the calendar stay, because a wrong digit is a slip that comparison forgives.

const (
	firstYear = 1800
	lastYear  = 2100
	pivot     = 30 // two-digit years up to it are of the 2000s
)

// dateParts is a date with missing parts 0.
type dateParts struct{ year, month, day int }

func (d dateParts) text() string {
	if d.year < 1 || d.year > 9999 || d.month > 99 || d.day > 99 {
		return ""
	}
	s := fmt.Sprintf("%04d%02d%02d", d.year, d.month, d.day)
	if isPlaceholder(s) {
		return ""
	}
	return s
}

// isPlaceholder reports whether programs write a date where they have none.
func isPlaceholder(s string) bool {
	switch s {
	case "19000101", "18000101", "17530101", "00010101", "16010101":
		return true
	}
	return isRepeated(s) || s[:4] == "9999" || s[:4] == "0000"
}

// ymd is the date of eight digits that begin with the year.
func ymd(n int) dateParts { return dateParts{n / 10000, n / 100 % 100, n % 100} }

func (d dateParts) isMonth() bool {
	return d.year >= firstYear && d.year <= lastYear && d.month >= 1 && d.month <= 12
}

func (d dateParts) plausible() bool { return d.isMonth() && d.day >= 1 && d.day <= 31 }

// cleanDate reads dates in digits itself, because they are most, and others by package value.
func cleanDate(raw string, r Reading) string {
	s := withoutTime(withoutFraction(raw))
	groups, numbers, sep, ok := digitGroups(s)
	if !ok {
		return dateInWords(s, r)
	}
	switch groups {
	case 1:
		return compactDate(s, numbers[0], r)
	case 2:
		return monthAndYear(numbers).text()
	case 3:
		return threeNumbers(numbers, sep, r).text()
	}
	return ""
}

// withoutTime cuts the time of day: "1971-06-24T00:00:00", "24/06/1971 0:00".
func withoutTime(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	if i := strings.IndexAny(s, " Tt"); i >= 8 {
		return s[:i]
	}
	return s
}

// number is a number of a date as written.
type number struct{ value, digits int }

func (n number) isYear() bool { return n.digits == 4 }

// fullYear gives two digits their century.
func (n number) fullYear() int {
	switch {
	case n.digits > 2:
		return n.value
	case n.value <= pivot:
		return 2000 + n.value
	}
	return 1900 + n.value
}

// digitGroups reads up to three numbers with one separator between them, and ok is false for
// all else.
func digitGroups(s string) (count int, numbers [3]number, sep byte, ok bool) {
	var n number
	for i := 0; i <= len(s); i++ {
		switch {
		case i < len(s) && s[i] >= '0' && s[i] <= '9':
			if n.value, n.digits = n.value*10+int(s[i]-'0'), n.digits+1; n.digits > 8 {
				return 0, numbers, 0, false
			}
		case n.digits == 0 || count == len(numbers), i < len(s) && !strings.ContainsRune("-/. ", rune(s[i])):
			return 0, numbers, 0, false
		default:
			numbers[count], n = n, number{}
			count++
			if i < len(s) {
				if sep != 0 && s[i] != sep {
					return 0, numbers, 0, false
				}
				sep = s[i]
			}
		}
	}
	return count, numbers, sep, true
}

// compactDate reads digits without separators: 19710624, 24061971, 710624, 197106, 061971,
// 26108, 1971.
func compactDate(s string, n number, r Reading) string {
	switch n.digits {
	case 8:
		if isPlaceholder(s) {
			return ""
		}
		if last := inOrder(n.value/1000000, n.value/10000%100, n.value%10000, r.Order); !ymd(n.value).plausible() && last.plausible() {
			return last.text()
		}
		return s
	case 6:
		return sixDigits(n.value).text()
	case 5:
		return serialDate(n.value)
	case 4:
		if n.value >= firstYear && n.value <= lastYear {
			return dateParts{year: n.value}.text()
		}
	}
	return ""
}

// sixDigits reads 197106, 710624, and 061971 where the digits are not a day.
func sixDigits(n int) dateParts {
	if d := (dateParts{year: n / 100, month: n % 100}); d.isMonth() {
		return d
	}
	day := dateParts{number{n / 10000, 2}.fullYear(), n / 100 % 100, n % 100}
	if d := (dateParts{year: n % 10000, month: n / 10000}); d.isMonth() && !day.plausible() {
		return d
	}
	return day
}

// serialDate reads a day as spreadsheets count them, from the end of 1899.
func serialDate(n int) string {
	y, m, d := time.Date(1899, 12, 30+n, 0, 0, 0, 0, time.UTC).Date()
	if y > lastYear {
		return ""
	}
	return dateParts{y, int(m), d}.text()
}

// monthAndYear reads 06/1971 and 1971-06.
func monthAndYear(n [3]number) dateParts {
	switch {
	case n[0].isYear() && n[1].digits <= 2:
		return dateParts{year: n[0].value, month: n[1].value}
	case n[1].isYear() && n[0].digits <= 2:
		return dateParts{year: n[1].value, month: n[0].value}
	}
	return dateParts{}
}

// threeNumbers reads 1971-06-24, 24/06/1971, 06/24/1971, 24.6.71.
func threeNumbers(n [3]number, sep byte, r Reading) dateParts {
	switch {
	case n[0].isYear() && n[1].digits <= 2 && n[2].digits <= 2:
		return dateParts{n[0].value, n[1].value, n[2].value}
	case n[0].digits > 2 || n[1].digits > 2 || n[2].digits != 2 && n[2].digits != 4:
		return dateParts{}
	}
	if r.Order == value.Unknown && sep == '.' {
		r.Order = value.DayFirst
	}
	return inOrder(n[0].value, n[1].value, n[2].fullYear(), r.Order)
}

// DateOrder is the order of day and month that the dates of a column show: 24/06/1971 shows that
// the day is first. The majority decides; a tie and no evidence are unknown.
func DateOrder(raw []string) value.Order {
	var separated, compact orderVotes
	yearFirst := 0
	for _, s := range raw {
		count, n, _, ok := digitGroups(withoutTime(strings.TrimSpace(s)))
		switch {
		case !ok:
		case count == 3 && n[0].digits <= 2:
			separated.add(n[0].value, n[1].value)
		case count == 1 && n[0].digits == 8 && ymd(n[0].value).plausible():
			yearFirst++
		case count == 1 && n[0].digits == 8:
			compact.add(n[0].value/1000000, n[0].value/10000%100)
		}
	}
	if compact.days+compact.months > yearFirst { // else they are slips in dates that begin with the year
		separated.days += compact.days
		separated.months += compact.months
	}
	switch {
	case separated.days > separated.months:
		return value.DayFirst
	case separated.months > separated.days:
		return value.MonthFirst
	}
	return value.Unknown
}

// orderVotes counts the dates that show which of their numbers is the day.
type orderVotes struct{ days, months int }

func (v *orderVotes) add(first, second int) {
	switch {
	case first > 12 && first <= 31 && second <= 12:
		v.days++
	case second > 12 && second <= 31 && first <= 12:
		v.months++
	}
}

// inOrder is a date whose year is last. A number above 12 is the day whatever the order is.
func inOrder(first, second, year int, order value.Order) dateParts {
	if first > 12 && second <= 12 || order == value.DayFirst && !(second > 12 && first <= 12) {
		return dateParts{year, second, first}
	}
	return dateParts{year, first, second}
}

// reference gives two-digit years beside words the same century as those in digits: package
// value reads years up to five after it as past.
var reference = time.Date(2000+pivot-5, 1, 1, 0, 0, 0, 0, time.UTC)

// dateInWords reads "24 June 1971", "3 de marzo de 2019", "June 1971".
func dateInWords(s string, r Reading) string {
	if !hasDigit(s) {
		return ""
	}
	d, err := value.ReadDates(s, value.Context{Order: r.Order, Reference: reference})
	if err != nil {
		return ""
	}
	if days := d.All(); len(days) == 1 && !d.Partial() {
		y, m, day := days[0].Date()
		return dateParts{y, int(m), day}.text()
	}
	for _, read := range []func() (string, error){d.Month, d.Year} {
		if text, err := read(); err == nil {
			if count, n, _, ok := digitGroups(text); ok && n[0].isYear() && count <= 2 && (count == 1 || n[1].digits == 2) {
				return dateParts{year: n[0].value, month: n[1].value}.text()
			}
		}
	}
	return ""
}
