// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"hide/internal/publish/ledger"
)

// years is a table in which year y has 100 y patients.
func years() []byte {
	var b strings.Builder
	b.WriteString("id,year\n")
	for y := range 5 {
		for i := range 100 * y {
			fmt.Fprintf(&b, "%d-%d,%d\n", y, i, 2015+y)
		}
	}
	return []byte(b.String())
}

func TestTrendsAreToldWithTheirError(t *testing.T) {
	const config = `{"lineage":"ward-7","source":"calendar","key":"id","method":"identity","dimensions":[{"name":"year","min":2015,"max":2019,"width":1,"other":true}]}`
	c := cubeOf(t, config)
	published, err := PublishCube(t.Context(), newLedger(t), c, years(), ledger.One, meta)
	must(t, err)
	answered, err := AnswerQuery(t.Context(), newLedger(t), c, "SELECT COUNT(*) GROUP BY year", years(), ledger.One, meta)
	must(t, err)
	for _, r := range []Release{published, answered} {
		if len(r.Manifest.Trends) != 1 {
			t.Fatalf("%s: trends %v", r.Manifest.Kind, r.Manifest.Trends)
		}
		// The slopes are 100 each, four of them over five years (5.3.3); two counts with
		// noise of variance 2 are 1.6 apart in the mean, over five.
		got := r.Manifest.Trends[0]
		if math.Abs(got.Value-80) > 12*got.Off || math.Abs(got.Off-0.33) > 0.02 {
			t.Errorf("%s: %+v", r.Manifest.Kind, got)
		}
	}
	none, err := AnswerQuery(t.Context(), newLedger(t), c, "SELECT COUNT(*)", years(), ledger.One, meta)
	must(t, err)
	if len(none.Manifest.Trends) != 0 {
		t.Errorf("one count has trends %v", none.Manifest.Trends)
	}
}

func TestSequencesThatRiseAreCountedWhereTheAlphabetHasAnOrder(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "p%d %s\n", i, []string{"a b", "b a", "a c"}[i%3])
	}
	config := with(strings.Replace(sequencesConfig, `"height":4`, `"height":2`, 1), `"ordered":true`)
	c, err := ParseSequences([]byte(config))
	must(t, err)
	r, err := PublishSequences(t.Context(), newLedger(t), c, []byte(b.String()), ledger.One, meta)
	must(t, err)
	if len(r.Manifest.Trends) != 3 {
		t.Fatalf("trends %v", r.Manifest.Trends)
	}
	for i, want := range []float64{1000, 0, 2000} {
		if got := r.Manifest.Trends[i]; math.Abs(got.Value-want) > 15*got.Off || got.Off <= 0 || got.Off > 20 {
			t.Errorf("%+v, want %v", got, want)
		}
	}
	if _, err := ParseSequences([]byte(with(config, `"other":true`))); err == nil || !strings.Contains(err.Error(), "no place") {
		t.Errorf("other symbols in an order: %v", err)
	}
}
