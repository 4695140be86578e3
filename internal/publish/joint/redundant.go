// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// ageWords may stand beside a number in a term that says the same as an attribute,
// "36 years old", and stay: what they say is the attribute's name.
var ageWords = strings.Fields("year years old yr yrs yo y o age aged año años edad an ans âgé âgée jahr jahre jährig jähriger jährige alt of de")

// says reports whether a surface says one of a person's values of a column and
// nothing else, which is what makes a term redundant (rx-anon, section 3, x = v).
// from and to are the bytes of the surface that are the value; beside them stand
// only words of around. A term that says more, such as a name with the age, is
// not redundant: what is more would stay in the text.
func (v *View) says(c *table.Column, codes []int32, around []string, surface string) (from, to int, reading partial, says bool) {
	if c.Kind == table.Date {
		reading, says = saysDate(c, codes, surface)
		return 0, len(surface), reading, says
	}
	from, to = core(surface, around)
	value := surface[from:to]
	if c.Kind == table.Number {
		number, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64)
		return from, to, partial{}, err == nil && slices.ContainsFunc(codes, func(code int32) bool { return !c.IsMissing(code) && c.Numbers[code] == number })
	}
	form := Normalize(value)
	return from, to, partial{}, slices.ContainsFunc(codes, func(code int32) bool { return !c.IsMissing(code) && Normalize(c.Domain[code]) == form })
}

// saysDate reports whether a surface is a date, whole or in part, of the column.
func saysDate(c *table.Column, codes []int32, surface string) (partial, bool) {
	for _, reading := range readings(Normalize(surface)) {
		for _, code := range codes {
			if !c.IsMissing(code) && reading.of(time.Unix(int64(c.Numbers[code]), 0).UTC()) {
				return reading, true
			}
		}
	}
	return partial{}, false
}

// core is what is left of a surface without words of around, and without other
// visible characters, at its ends. It is all of it where nothing is left.
func core(surface string, around []string) (from, to int) {
	tokens := annotate.Tokenize(surface)
	beside := func(t annotate.Token) bool {
		form := Normalize(surface[t.Start:t.End])
		return strings.IndexFunc(form, func(r rune) bool { return !outside(r) }) < 0 || slices.Contains(around, form)
	}
	for len(tokens) > 0 && beside(tokens[0]) {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && beside(tokens[len(tokens)-1]) {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return 0, len(surface)
	}
	return int(tokens[0].Start), int(tokens[len(tokens)-1].End)
}
