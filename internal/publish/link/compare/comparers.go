// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// equalComparer has the levels equal and else.
type equalComparer struct{}

func (equalComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	return 1
}

// codeComparer compares short codes. One edit of one character makes any other.
type codeComparer struct{ work }

func (c *codeComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	if x, y := c.load(a, b); min(len(x), len(y)) > 1 && withinEdits(x, y, 1) {
		return 1
	}
	return 2
}

// identifierComparer forgives up to two slips.
type identifierComparer struct{ work }

func (c *identifierComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	x, y := c.load(a, b)
	switch shortest := min(len(x), len(y)); {
	case shortest < 3 || !withinEdits(x, y, 2):
		return 3
	case withinEdits(x, y, 1):
		return 1
	case shortest < 5:
		return 3
	}
	return 2
}

// phoneComparer knows that one number may have a country or area code and the other not.
type phoneComparer struct{ work }

func (c *phoneComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	if strings.HasSuffix(a, b) || strings.HasSuffix(b, a) {
		return 1
	}
	if x, y := c.load(a, b); withinEdits(x, y, 1) {
		return 2
	}
	return 3
}

// postcodeComparer knows that the first half of a code is the larger area.
type postcodeComparer struct{ work }

func (c *postcodeComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	x, y := c.load(a, b)
	switch half := (min(len(x), len(y)) + 1) / 2; {
	case withinEdits(x, y, 1):
		return 1
	case half > 1 && bytes.Equal(x[:half], y[:half]):
		return 2
	}
	return 3
}

var emailLevels = []string{equal, "same user", twoEdits, "user Jaro-Winkler at least 0.92", "user Jaro-Winkler at least 0.8", different}

// emailComparer compares what is before the @ if it can: domains are shared by many people.
type emailComparer struct{ work }

func (c *emailComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	x, y := c.load(a, b)
	userX, _, atX := bytes.Cut(x, []byte("@"))
	userY, _, atY := bytes.Cut(y, []byte("@"))
	if atX && atY && len(userX) > 0 && bytes.Equal(userX, userY) {
		return 1
	}
	if withinEdits(x, y, 2) {
		return 2
	}
	switch s := c.jaro.similarity(userX, userY); {
	case s >= highSimilarity:
		return 3
	case s >= lowSimilarity:
		return 4
	}
	return 5
}

// numberComparer compares sizes.
type numberComparer struct{}

func (numberComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch gap := math.Abs(x - y); {
	case errX != nil || errY != nil:
		return 3
	case gap <= 1:
		return 1
	case gap <= 0.1*max(math.Abs(x), math.Abs(y)):
		return 2
	}
	return 3
}

var dateLevels = []string{equal, "one edit, or day and month exchanged", "two parts of three", "same year", different}

// dateComparer compares dates of eight digits. Parts of 00 are missing.
type dateComparer struct{ work }

func (c *dateComparer) Level(a, b string) int {
	if len(a) != 8 || len(b) != 8 {
		return 4
	}
	year, month, day := a[:4] == b[:4], agreePart(a[4:6], b[4:6]), agreePart(a[6:], b[6:])
	partial := month == missingPart || day == missingPart
	switch {
	case a == b && !partial:
		return 0
	case partial:
		switch {
		case year && month == samePart:
			return 2
		case year && month == missingPart && day != otherPart:
			return 3
		case year:
			return 3
		}
		return 4
	case year && a[4:6] == b[6:] && a[6:] == b[4:6]:
		return 1
	}
	if x, y := c.load(a, b); withinEdits(x, y, 1) {
		return 1
	}
	switch {
	case year && (month == samePart || day == samePart), month == samePart && day == samePart:
		return 2
	case year:
		return 3
	}
	return 4
}

// agreement of the day or the month of two dates.
type agreement int

const (
	otherPart agreement = iota
	samePart
	missingPart
)

func agreePart(a, b string) agreement {
	switch {
	case a == "00" || b == "00":
		return missingPart
	case a == b:
		return samePart
	}
	return otherPart
}
