// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"testing"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise/noisetest"
)

func TestNoiseIsForAllRowsOfAPerson(t *testing.T) {
	_, c := some(t)
	c.Bound = 5 * 3
	q, err := Parse("SELECT COUNT(*) WHERE age < 5 GROUP BY sex", domain)
	if err != nil {
		t.Fatal(err)
	}
	var rec noisetest.Recorder
	a, err := q.Answer(t.Context(), c, ledger.One/4, &rec)
	if err != nil || a.Phase.Sensitivity != 15 || a.Phase.Scale != 60 {
		t.Errorf("%+v, %v", a.Phase, err)
	}
	rec.Expect(t, "query", noisetest.Draws{Sensitivity: 15, Epsilon: 0.25, Counts: a.Phase.Counts})
}

func TestEveryCountOfAnAnswerIsNoisy(t *testing.T) {
	_, c := some(t)
	q, err := Parse("SELECT COUNT(*) GROUP BY sex", domain)
	if err != nil {
		t.Fatal(err)
	}
	a, err := q.Answer(t.Context(), c, ledger.One, noisetest.Plus(1e6))
	if err != nil || len(a.Counts) == 0 || slices.Min(a.Counts) < 1e6 {
		t.Errorf("%v, %v", a.Counts, err)
	}
}
