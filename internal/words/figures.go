// SPDX-License-Identifier: Apache-2.0

package words

import (
	"math"
	"strconv"
)

const notKnown = "not known"

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Amount writes a count with commas: 14,334. Broken counts keep one decimal.
func Amount(v float64) string {
	switch {
	case !finite(v):
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
	if !finite(v) {
		return notKnown
	}
	return PercentDigits(v, 1) + " %"
}

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
