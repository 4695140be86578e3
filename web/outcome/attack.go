// SPDX-License-Identifier: Apache-2.0

package outcome

import (
	"encoding/json"
	"fmt"

	"hide/internal/chart"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/publish"
	"hide/web/ui"
)

// attackOf are the figures of an attack, without rows if they cannot be read.
func attackOf(a *publish.Attacked) (r retrieve.Result) {
	if json.Unmarshal(a.Figures, &r) != nil {
		return retrieve.Result{}
	}
	return r
}

func rankerWords(r retrieve.Ranker) string {
	if r == retrieve.BM25 {
		return "BM25"
	}
	return "naive Bayes"
}

// rateWords: "15.5 % [10.8–21.2]".
func rateWords(r retrieve.Rate) string {
	return fmt.Sprintf("%s [%s–%s]", ui.Percent(r.Share), ui.WholePercent(r.Low), ui.WholePercent(r.High))
}

// attackBars draws the share of notes that the better ranking links at the first guess, by
// knowledge, beside chance.
func attackBars(id string, r retrieve.Result) *chart.Bars {
	bars := chart.NewBars(id, "Notes linked at the first guess")
	for _, k := range []retrieve.Knowledge{retrieve.Table, retrieve.Siblings, retrieve.Both} {
		if best, is := r.Best(k); is {
			bars.Add(knowledgeName(k), ui.Percent(best.Top1.Share), best.Top1.Share*chart.BarLength)
			last := &bars.Rows[len(bars.Rows)-1]
			last.From, last.To = best.Top1.Low*chart.BarLength, best.Top1.High*chart.BarLength
		}
	}
	bars.Add("Chance", ui.Percent(r.Chance1), r.Chance1*chart.BarLength)
	bars.Desc = "The same numbers are in the table below."
	return bars
}

func knowledgeName(k retrieve.Knowledge) string {
	switch k {
	case retrieve.Table:
		return "Table"
	case retrieve.Siblings:
		return "Other notes"
	}
	return "Both"
}
