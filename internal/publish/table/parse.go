// SPDX-License-Identifier: Apache-2.0

package table

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxNumber is the largest number up to which all whole ones differ.
const maxNumber = 1 << 53

// parseNumber reads a decimal number and writes it in its shortest form.
func parseNumber(value string) (string, float64, error) {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || strings.ContainsAny(value, "xXpPnN_") {
		return "", 0, errors.New("a value is not a number")
	}
	if math.Abs(number) > maxNumber {
		return "", 0, errors.New("a value is too large a number; make the column a code")
	}
	number += 0 // -0 is 0
	return formatNumber(number), number, nil
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Forms in which dates are released.
const (
	day   = "2006-01-02"
	month = "2006-01"
	year  = "2006"
	clock = "2006-01-02T15:04:05"
)

// isoLayouts are the forms of dates that need not be told.
var isoLayouts = []string{day, clock, "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339}

// parseDate reads a date and writes it as ISO 8601, in UTC, without a time of
// day when that is midnight.
func parseDate(value, layout string) (string, float64, error) {
	layouts := isoLayouts
	if layout != "" {
		layouts = []string{layout}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, value); err == nil && t.Year() >= 1 {
			seconds := t.Unix()
			return formatDate(float64(seconds)), float64(seconds), nil
		}
	}
	return "", 0, errors.New("a value is not a date of the form told")
}

func formatDate(seconds float64) string {
	t := dateOf(seconds)
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format(day)
	}
	return t.Format(clock)
}

func dateOf(seconds float64) time.Time { return time.Unix(int64(seconds), 0).UTC() }

// directives are what [Strftime] knows.
var directives = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'B': "January", 'b': "Jan", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", '%': "%",
}

// Strftime makes a layout of a form such as %d.%m.%Y.
func Strftime(form string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		c := form[i]
		switch {
		case c == '%' && i+1 < len(form) && directives[form[i+1]] != "":
			i++
			b.WriteString(directives[form[i]])
		case c == '%':
			return "", fmt.Errorf("a date format has an unknown directive at byte %d; directives are %%Y %%y %%m %%d %%B %%b %%H %%I %%M %%S %%p", i)
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' && c != 'T' && c != 'Z' || c >= 'a' && c <= 'z' || c == '_':
			return "", fmt.Errorf("a date format has a letter or digit at byte %d", i)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}
