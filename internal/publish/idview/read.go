// SPDX-License-Identifier: Apache-2.0

package idview

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"hide/internal/publish/table"
)

// Fold makes alike what differs in case or in how accents are coded.
func Fold(value string) string { return strings.ToLower(norm.NFC.String(value)) }

// reader reads a value as written: in the form that a table takes, and false when
// it is not what the attribute should be.
type reader func(value string) (string, bool)

func (a Attribute) reader() reader {
	switch a.Kind {
	case table.Number:
		return readNumber
	case table.Date:
		return a.readDate
	case table.Code:
		return func(value string) (string, bool) { return strings.ToUpper(value), true }
	default:
		return func(value string) (string, bool) { return value, true }
	}
}

// number is a number and, where the text goes on with it, what it counts, as in
// "6-month-old".
var number = regexp.MustCompile(`^[^\d]*?([+-]?\d+(?:\.\d+)?)[\s-]*(?i:(m(?:onths?|os?)|w(?:ee)?ks?|days?)\b)?`)

// perYear is how many of a unit make a year.
var perYear = map[byte]float64{'m': 12, 'w': 52, 'd': 365}

// maxNumber is the greatest that a table takes.
const maxNumber = 1 << 53

// readNumber takes the first number of a text. Months, weeks and days become whole
// years, as they are ages.
func readNumber(value string) (string, bool) {
	found := number.FindStringSubmatch(value)
	if found == nil {
		return "", false
	}
	v, err := strconv.ParseFloat(found[1], 64)
	if err != nil || math.Abs(v) > maxNumber {
		return "", false
	}
	if found[2] != "" {
		v = math.Floor(v / perYear[strings.ToLower(found[2])[0]])
	}
	return strconv.FormatFloat(v, 'f', -1, 64), true
}

// usual are forms of dates in which only the place of the month may be doubtful;
// it is first then.
var usual = []string{
	"2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006/1/2", "1/2/2006", "1/2/06", "1-2-2006", "1-2-06", "2.1.2006", "2.1.06",
	"January 2, 2006", "January 2 2006", "2 January 2006", "Jan 2, 2006", "Jan 2 2006", "Jan. 2, 2006", "2 Jan 2006", "2-Jan-2006", "2-Jan-06", "02Jan2006",
}

// oneDigit makes a form take days and months of one digit, too.
var oneDigit = strings.NewReplacer("02", "2", "01", "1")

// readDate reads a day with its year; less is no date here.
func (a Attribute) readDate(value string) (string, bool) {
	layouts := usual
	if form, err := table.Strftime(a.Form); err == nil && a.Form != "" {
		layouts = append([]string{oneDigit.Replace(form)}, usual...)
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, value); err == nil && t.Year() >= 1 {
			return t.Format("2006-01-02"), true
		}
	}
	return "", false
}
