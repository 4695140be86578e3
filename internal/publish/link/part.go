// SPDX-License-Identifier: Apache-2.0

package link

import "strings"

// A Part is the part of a value that a key uses. The empty part is the whole value.
type Part string

// The parts that exist.
const (
	Whole    Part = ""
	First    Part = "first letter"
	Prefix   Part = "first three letters"
	Sound    Part = "sound"
	Year     Part = "year"
	Day      Part = "month and day"
	LastFour Part = "last four characters"
)

// parts says how each part is taken from a cleaned value. A part of "" is missing.
var parts = []struct {
	part Part
	take func(string) string
}{
	{Whole, func(v string) string { return v }},
	{First, func(v string) string { return firstRunes(v, 1) }},
	{Prefix, func(v string) string { return firstRunes(v, 3) }},
	{Sound, sound},
	{Year, func(v string) string { year, _ := datePart(v); return year }},
	{Day, func(v string) string { _, day := datePart(v); return day }},
	{LastFour, func(v string) string { return v[max(0, len(v)-4):] }},
}

func partNames() []string {
	names := []string{`"" (whole value)`}
	for _, p := range parts[1:] {
		names = append(names, string(p.part))
	}
	return names
}

func partNamed(part Part) func(string) string {
	for _, p := range parts {
		if p.part == part {
			return p.take
		}
	}
	return nil
}

func firstRunes(v string, n int) string {
	for i := range v {
		if n == 0 {
			return v[:i]
		}
		n--
	}
	return v
}

// datePart cuts a cleaned date, 19710624, into its year and the rest. A part of zeros is missing.
func datePart(v string) (year, day string) {
	if len(v) < 4 {
		return "", ""
	}
	year, day = v[:4], v[4:]
	if strings.Trim(year, "0") == "" {
		year = ""
	}
	if strings.Contains(day, "00") {
		day = ""
	}
	return year, day
}

// soundGroups are letters that are often written for each other. Vowels, h, w and y are not
// part of the code, nor is a repeated group.
var soundGroups = map[rune]byte{
	'b': 'b', 'p': 'b', 'f': 'b', 'v': 'b',
	'c': 'k', 'g': 'k', 'j': 'k', 'k': 'k', 'q': 'k', 's': 'k', 'x': 'k', 'z': 'k',
	'd': 't', 't': 't',
	'l': 'l',
	'm': 'm', 'n': 'm',
	'r': 'r',
}

// sound is the first letter of a name and the groups of up to three consonants after it, as in
// Soundex [Russell 1918]. Names in other scripts are their own sound.
func sound(v string) string {
	var code []byte
	var last byte
	for _, r := range v {
		switch {
		case r >= 'a' && r <= 'z':
		case r < 128:
			continue
		default:
			return v
		}
		group := soundGroups[r]
		if len(code) == 0 {
			code = append(code, byte(r))
		} else if group != 0 && group != last {
			code = append(code, group)
		}
		if r != 'h' && r != 'w' {
			last = group
		}
		if len(code) == 4 {
			break
		}
	}
	return string(code)
}
