// SPDX-License-Identifier: Apache-2.0

package value

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Year is the year of the dates: "2019". Two ends of an interval give "2018-2019", several
// dates "2018, 2020", and a decade "1990s". The error wraps ErrNoYear if the text does not
// give the year of some date.
func (d Dates) Year() (string, error) {
	return d.general("-", func(one date) (string, error) {
		if one.unit == unitDecade {
			return strconv.Itoa(one.year) + "s", nil
		}
		return strconv.Itoa(one.at.Year()), nil
	})
}

// Quarter is the quarter of the dates: "2019-Q1". Two ends of an interval give
// "2018-Q4/2019-Q1". A text that is less exact is an error, as a text without a year is.
func (d Dates) Quarter() (string, error) {
	return d.general("/", func(one date) (string, error) {
		if one.unit > unitQuarter || d.ambiguous {
			return "", ErrCoarse
		}
		return fmt.Sprintf("%d-Q%d", one.at.Year(), quarterOf(one.at)), nil
	})
}

// Month is the month of the dates: "2019-03". Two ends of an interval give
// "2019-03/2019-06". A text that is less exact is an error, as a text without a year is.
func (d Dates) Month() (string, error) {
	return d.general("/", func(one date) (string, error) {
		if one.unit > unitMonth || d.ambiguous {
			return "", ErrCoarse
		}
		return one.at.Format("2006-01"), nil
	})
}

// ErrCoarse is returned for a date that is less exact than what it is generalized to.
var ErrCoarse = errors.New("the date is less exact than that")

// general writes every date with fn, each text once.
func (d Dates) general(interval string, fn func(date) (string, error)) (string, error) {
	var b strings.Builder
	last := ""
	for _, one := range d.dates {
		if one.from != written || one.at.IsZero() {
			return "", ErrNoYear
		}
		s, err := fn(one)
		switch {
		case err != nil:
			return "", err
		case s == last:
			continue
		case last != "" && one.interval:
			b.WriteString(interval)
		case last != "":
			b.WriteString(", ")
		}
		b.WriteString(s)
		last = s
	}
	if last == "" {
		return "", ErrNoYear
	}
	return b.String(), nil
}
