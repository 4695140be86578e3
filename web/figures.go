// SPDX-License-Identifier: Apache-2.0

package web

import (
	"math"
	"strconv"

	"hide/internal/words"
)

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func formatCount(v float64) string { return words.Amount(v) }

func formatPercent(v float64) string { return words.Percent(v) }

func percentDigits(v float64) string { return words.PercentDigits(v, 1) }

// wholePercent is percentDigits with a decimal only near the ends: 94, 99.6.
func wholePercent(v float64) string { return words.PercentDigits(v, 0) }

// scorePercent is a suggestion's score in whole per cent, never more than it is:
// 99 for all that is not certain, <1 for what is not nothing.
func scorePercent(v float64) string {
	if v > 0 && v < 0.01 {
		return "<1"
	}
	return strconv.Itoa(int(100*v + 1e-9)) // 0.29 is not 28
}

// formatRatio writes L/C: 10, 2.5.
func formatRatio(lc float64) string { return strconv.FormatFloat(lc, 'f', -1, 64) }
