// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"slices"
	"testing"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise/noisetest"
)

// TestNoiseIsForAllRowsOfAPerson compares what was drawn, when 5 rows count of each
// of 3 that may be one person, with the phases that the release declares.
func TestNoiseIsForAllRowsOfAPerson(t *testing.T) {
	c := some(t, 300)
	c.Bound = 5 * 3
	for what, p := range map[string]Params{
		"dpcube":       {Method: DPCube},
		"dpcube, fuse": {Method: DPCube, Gain: SSE, Fuse: true},
		"identity":     {Method: Identity},
		"uniform":      {Method: Uniform},
		"marginals":    {Method: Marginals, Marginals: [][]string{{"sex", "ward"}, {"age"}, {}}},
	} {
		var rec noisetest.Recorder
		p.Epsilon = ledger.One / 3
		r := publish(t, c, p, &rec)
		var want []noisetest.Draws
		total := ledger.Micro(0)
		for _, ph := range r.Phases {
			if ph.Sensitivity != 15 || ph.Scale != 15/ph.Epsilon.Float() {
				t.Errorf("%s declares %+v", what, ph)
			}
			want, total = append(want, noisetest.Draws{Sensitivity: 15, Epsilon: ph.Epsilon.Float(), Counts: ph.Counts}), total+ph.Epsilon
		}
		if total != p.Epsilon {
			t.Errorf("%s spends %v", what, total)
		}
		rec.Expect(t, what, want...)
	}
}

// TestEveryCountThatIsReleasedIsNoisy draws noise that no count of 300 rows is without.
func TestEveryCountThatIsReleasedIsNoisy(t *testing.T) {
	c := some(t, 300)
	for what, p := range map[string]Params{
		"dpcube": {Method: DPCube}, "dpcube, fuse": {Method: DPCube, Gain: SSE, Fuse: true}, "identity": {Method: Identity}, "uniform": {Method: Uniform},
		"marginals": {Method: Marginals, Marginals: [][]string{{"sex", "ward"}, {"age"}, {}}},
	} {
		r := publish(t, c, p, noisetest.Plus(1e6))
		var all []float64
		for _, b := range r.Blocks {
			all = append(all, b.Count)
		}
		for _, n := range r.Cells {
			all = append(all, float64(n))
		}
		for _, v := range r.Views {
			all = append(all, v.Counts...)
		}
		if len(all) == 0 || slices.Min(all) < 1e5 {
			t.Errorf("%s: some counts have no noise, or there are none: %v", what, all[:min(len(all), 9)])
		}
	}
}
