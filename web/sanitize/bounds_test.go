// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"math"
	"strings"
	"testing"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

func TestBoundsSayWhatTheyAreWorth(t *testing.T) {
	cases := []struct {
		bound greedy.Bound
		want  string
	}{
		{greedy.Bound{}, "nothing is left"},
		{greedy.Bound{Trivial: 9, Value: 2}, "conditions do not hold"},
		{greedy.Bound{Trivial: 9, Value: 2, Applies: true}, "holds and is informative"},
		{greedy.Bound{Trivial: 9, Value: 900, Applies: true, Vacuous: true, Excess: 100, NeedsLC: 1234}, "not informative: 100 times the trivial bound (9.00). Informative from L/C 1,234 on"},
		{greedy.Bound{Trivial: 9, Value: math.Inf(1), Applies: true, Vacuous: true, Excess: math.Inf(1), NeedsLC: math.Inf(1), Constants: &greedy.Constants{VC: 300001}}, "at any L/C: with a dimension of 300,001"},
		{greedy.Bound{Trivial: 9, Value: math.Inf(1), Applies: true, Vacuous: true, Excess: math.Inf(1), NeedsLC: math.Inf(1)}, "at any L/C: there is a label of which leaving a word costs nothing"},
		{greedy.Bound{Trivial: 9, Value: math.Inf(1), Applies: true, Vacuous: true, Excess: math.Inf(1), NeedsLC: 77}, "not informative: no bound (trivial bound 9.00). Informative from L/C 77.00 on"},
		{greedy.Bound{Trivial: 9, Value: math.Inf(1), Applies: true, Vacuous: true, NeedsLC: math.Inf(1), Constants: &greedy.Constants{Finite: greedy.Finite{Q: 0.1, R: 0.1, S: 0.5, Lambda: 2}}}, "at any L/C: there is a label of which leaving a word costs nothing"},
		{greedy.Bound{Trivial: 9, Value: math.Inf(1), Applies: true, Vacuous: true, NeedsLC: math.Inf(1), Constants: &greedy.Constants{Finite: greedy.Finite{Q: 0.1, R: 0.1, Lambda: 2}}}, "at any L/C: the attacker marks nothing wrongly"},
	}
	c := sanitize.Result{LC: 10}
	for _, k := range cases {
		if got := chart.BoundWords(k.bound); !strings.Contains(got, k.want) {
			t.Errorf("%+v says %q, want %q", k.bound, got, k.want)
		}
		c.Bounds = append(c.Bounds, k.bound)
	}
	finite := greedy.Finite{P: 0.25, Q: 0.5, R: 0.000012345, S: math.Inf(1), Lambda: 1.5}
	c.Bounds = append(c.Bounds, greedy.Bound{Theorem: "theorem 5", Constants: &greedy.Constants{Finite: finite, ErrorRatio: 3, VC: 7}})
	var page strings.Builder
	if err := bounds(c).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"no bound", "L/C 10", "<td>2.00</td>", "dimension 7, p 0.25, q 0.5, r 1.23e-05, s infinite, lambda 1.5; lemma 4: FP/TP at least 3<"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
