// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"strings"

	"hide/internal/chart"
	"hide/internal/project/dp"
	"hide/internal/words"
)

// sequenceWords: "Arden → Bilton".
func sequenceWords(symbols []string) string {
	if len(symbols) == 0 {
		return "(none at all)"
	}
	return strings.Join(symbols, " → ")
}

// mostBarName is how many letters fit beside a bar; the table has the whole.
const mostBarName = 22

// sequenceBars draws counts; what is below 0 has no bar.
func sequenceBars(all []dp.CountedSequence) *chart.Bars {
	b := chart.NewBars("sequences-told", "Patients by sequence, with noise")
	most := 1.0
	for _, q := range all {
		most = max(most, q.Count)
	}
	for _, q := range all {
		b.Add(barName(sequenceWords(q.Symbols)), words.Amount(q.Count), chart.BarLength*max(0, q.Count)/most)
	}
	return b
}
