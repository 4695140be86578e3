// SPDX-License-Identifier: Apache-2.0

package message

import "strings"

const (
	maxCode   = 24 // characters of a code; longer ones may be text
	maxDigits = 6  // of a number; longer ones may be a record number or a date
)

// hl7IsCode reports whether s looks like a code, and not like text or a date.
func hl7IsCode(s string) bool {
	if s == "" || len(s) > maxCode || hl7IsDay(s) {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7F {
			return false
		}
	}
	return true
}

// hl7IsType reports whether s looks like the code of a type of number, address or name. These
// are short; a longer word may be the value of another component.
func hl7IsType(s string) bool {
	return len(s) <= 5 && hl7IsCode(s) || s == "Internet"
}

// hl7IsDay reports whether s is a day of 1900 to 2099, with or without a time.
func hl7IsDay(s string) bool {
	century := strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20")
	return century && len(s) >= 8 && len(s)%2 == 0 && strings.Trim(s, "0123456789") == "" && hl7ISODate(s) != ""
}

// hl7IsNumber reports whether a field has numbers, ranges and comparisons only, and none
// with many digits before its point.
func hl7IsNumber(s string, sep hl7Separators) bool {
	signs := ".,+-<>=:/*% " + string([]byte{sep.component, sep.repetition, sep.sub})
	digits, fraction := 0, false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			if digits++; digits > maxDigits && !fraction {
				return false
			}
		case strings.IndexByte(signs, c) < 0:
			return false
		default:
			digits, fraction = 0, c == '.' && digits > 0 && !fraction
		}
	}
	return true
}

// hl7KeepCodes returns what is kept of a repetition of a coded field: code^text^system and
// alternative code^text^system, with the versions of both systems. A text is kept only where
// it comes from a system of codes; else somebody may have typed it.
func (sep hl7Separators) hl7KeepCodes(repetition string) (kept string, lost bool) {
	c := sep.components(repetition).raw
	out := make([]string, min(len(c), 8))
	for i := range out {
		switch i {
		case 1, 4:
			if i+1 < len(c) && hl7IsCode(c[i-1]) && hl7IsCode(c[i+1]) {
				out[i] = c[i]
			}
		default:
			if hl7IsCode(c[i]) {
				out[i] = c[i]
			}
		}
	}
	for i, value := range c {
		lost = lost || value != "" && (i >= len(out) || out[i] == "")
	}
	return hl7Join(out, sep.component), lost
}

// hl7Join joins components without the empty ones at the end.
func hl7Join(components []string, separator byte) string {
	n := len(components)
	for n > 0 && components[n-1] == "" {
		n--
	}
	return strings.Join(components[:n], string(rune(separator)))
}

// hl7Service returns what is kept of the name of an observation: its first repetition
// without its components after the sixth, which may be typed by hand.
func hl7Service(field string, sep hl7Separators) string {
	field, _, _ = strings.Cut(field, string(rune(sep.repetition)))
	separator := string(rune(sep.component))
	if strings.Count(field, separator) < 6 {
		return strings.TrimRight(field, separator)
	}
	c := sep.components(field).raw
	return hl7Join(c[:min(len(c), 6)], sep.component)
}

// hl7ServiceName finds the component with the name of an observation: the text, the
// alternative text, or the code.
func hl7ServiceName(service string, sep hl7Separators) (component, start, end int) {
	c := sep.components(service).raw
	for _, want := range []int{1, 4, 0} {
		at := 0
		for i, value := range c {
			if i == want && value != "" {
				return i, at, at + len(value)
			}
			at += len(value) + 1
		}
	}
	return 0, 0, 0
}
