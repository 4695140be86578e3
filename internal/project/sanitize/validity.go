// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"slices"

	"hide/internal/greedy"
	"hide/internal/publish"
)

// Validity says whether the figures of the run at an L/C hold for the notes to be published.
// Every page, report and file asks here. Before the notes are compared, figures are taken to
// hold.
func (r *Run) Validity(lc float64) publish.Validity {
	doubt := r.ForecastDoubt()
	v := publish.Validity{Hold: doubt == "", Because: doubt, Measured: r.Measured}
	if v.Hold || !r.Drift.Warns() {
		return v
	}
	v.Drift, v.Trust, v.More, v.Limited = true, r.Trust, r.More, r.Limited
	if c, found := r.At(lc); found {
		v.Applied = c.Applied
	}
	return v
}

// enterApplied records in the current run what classifiers redact in notes to be published.
func (ws *workspace) enterApplied(choices []greedy.Choice) {
	ws.run.Change(func(r *Run) {
		r.Choices = slices.Clone(r.Choices)
		for _, c := range choices {
			if i := slices.IndexFunc(r.Choices, func(of Result) bool { return of.LC == c.LC }); i >= 0 {
				r.Choices[i].Applied = c.Applied
			}
		}
	})
}
