// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"bytes"
	"math"
	"math/bits"
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

func newCodeComparer() Comparer { return &codeComparer{} }

func (c *codeComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	if x, y := c.load(a, b); min(len(x.text), len(y.text)) > 1 && withinEdits(x, y, 1) {
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
	switch shortest := min(len(x.text), len(y.text)); {
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
	switch half := (min(len(x.text), len(y.text)) + 1) / 2; {
	case withinEdits(x, y, 1):
		return 1
	case half > 1 && bytes.Equal(x.text[:half], y.text[:half]):
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
	atX, atY := bytes.IndexByte(x.text, '@'), bytes.IndexByte(y.text, '@')
	if atX > 0 && atX == atY && bytes.Equal(x.text[:atX], y.text[:atY]) {
		return 1
	}
	if withinEdits(x, y, 2) {
		return 2
	}
	if atX > 0 {
		x = x.from(0, atX)
	}
	if atY > 0 {
		y = y.from(0, atY)
	}
	return c.jaro.level(3, x, y)
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
type dateComparer struct{}

func (dateComparer) Level(a, b string) int {
	if len(a) != 8 || len(b) != 8 {
		return 4
	}
	x, y := packDate(a), packDate(b)
	year, month, day := x>>32 == y>>32, uint16(x>>16) == uint16(y>>16), uint16(x) == uint16(y)
	switch {
	case x.isPartial() || y.isPartial():
		if year && month && uint16(x>>16) != missingPart {
			return 2
		}
	case x == y:
		return 0
	case x.oneEdit(y) || year && uint16(x>>16) == uint16(y) && uint16(x) == uint16(y>>16):
		return 1
	case year && (month || day) || month && day:
		return 2
	}
	if year {
		return 3
	}
	return 4
}

// packedDate has the eight digits of a date as bytes: four of the year, two of the month, two
// of the day.
type packedDate uint64

// missingPart is a day or month of 00.
const missingPart = '0'<<8 | '0'

func packDate(s string) packedDate {
	var d packedDate
	for i := range 8 {
		d = d<<8 | packedDate(s[i])
	}
	return d
}

func (d packedDate) isPartial() bool {
	return uint16(d>>16) == missingPart || uint16(d) == missingPart
}

// oneEdit reports whether one digit differs, or two neighbours are exchanged. Dates have one
// length, so nothing else is one edit.
func (d packedDate) oneEdit(other packedDate) bool {
	difference := uint64(d ^ other)
	low := bits.TrailingZeros64(difference) / 8
	switch high := (63 - bits.LeadingZeros64(difference)) / 8; {
	case high == low:
		return true
	case high > low+1:
		return false
	}
	x, y := uint16(d>>(8*low)), uint16(other>>(8*low))
	return x == bits.ReverseBytes16(y)
}
