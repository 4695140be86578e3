// SPDX-License-Identifier: Apache-2.0

// Package words writes numbers and lists into sentences that people read.
//
//	words.Count(1, "note", "notes")    // 1 note
//	words.Count(1204, "note", "notes") // 1,204 notes
//
// It knows English and nothing else.
package words

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count writes n with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Number groups the digits of n: 14334 is "14,334".
func Number(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

const notKnown = "not known"

// Finite reports whether v is a number and not infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Amount writes a count with commas: 14,334. Broken counts keep one decimal.
func Amount(v float64) string {
	switch {
	case !Finite(v):
		return notKnown
	case v != math.Round(v) && math.Abs(v) < 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case math.Abs(v) >= 1e15:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return Number(int(math.Round(v)))
}

// Percent writes a share with one decimal: "96.0 %". Shares near the ends keep as many
// decimals as it takes not to claim "100 %" of what is not all.
func Percent(v float64) string {
	if !Finite(v) {
		return notKnown
	}
	return PercentDigits(v, 1) + " %"
}

// ShortPercent writes a share without decimals where it can: "94 %", "99.6 %".
func ShortPercent(share float64) string { return PercentDigits(share, 0) + " %" }

// OneDecimal writes a share for where the sign stands elsewhere, as in a table's heading or
// behind an interval: 93.8.
func OneDecimal(share float64) string { return PercentDigits(share, 1) }

// PercentDigits writes a share with at least least decimals, and with more when it
// would otherwise read as all or nothing.
func PercentDigits(v float64, least int) string {
	for digits := least; digits < 4; digits++ {
		s := strconv.FormatFloat(100*v, 'f', digits, 64)
		rounded, _ := strconv.ParseFloat(s, 64)
		if v <= 0 || v >= 1 || (rounded > 0 && rounded < 100) {
			return s
		}
	}
	if v < 0.5 {
		return "0.001"
	}
	return "99.999"
}

// List joins words: "a", "a and b", "a, b and c".
func List[S ~string](all []S) string {
	words := make([]string, len(all))
	for i, w := range all {
		words[i] = string(w)
	}
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Sentence makes a sentence of a message in lower case without a full stop. "" stays "",
// and a Greek letter stays small, because ε and λ are symbols.
func Sentence(message string) string {
	if message == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(message)
	if unicode.Is(unicode.Latin, first) {
		first = unicode.ToUpper(first)
	}
	text := string(first) + message[size:]
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
