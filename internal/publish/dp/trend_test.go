// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/verify"
)

// years is a table in which year y has 100 y patients.
func years() CSV {
	var b strings.Builder
	b.WriteString("id,year\n")
	for y := range 5 {
		for i := range 100 * y {
			fmt.Fprintf(&b, "%d-%d,%d\n", y, i, 2015+y)
		}
	}
	return CSV(b.String())
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
	r, err := PublishSequences(t.Context(), newLedger(t), c, Lines(b.String()), ledger.One, meta)
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

// stages is a table in which stage s has 100 (s + 1) patients, whatever its name.
func stages() CSV {
	var b strings.Builder
	b.WriteString("id,stage,year\n")
	for s, name := range []string{"I", "II", "III", "unknown"} {
		for i := range 100 * (s + 1) {
			fmt.Fprintf(&b, "%d-%d,%s,%d\n", s, i, name, 2015+i%3)
		}
	}
	return CSV(b.String())
}

const stagesConfig = `{"lineage":"ward-7","source":"TNM","key":"id","dimensions":[{"name":"stage","values":["I","II","III"],"ordered":true,"other":true},{"name":"year","min":2015,"max":2018,"width":0.5}]}`

func TestAListInOrderHasATrend(t *testing.T) {
	c := cubeOf(t, with(stagesConfig, `"method":"marginals","marginals":[["stage"]]`))
	r, err := PublishCube(t.Context(), newLedger(t), c, stages(), ledger.One, meta)
	must(t, err)
	// From 100 to 300 over three stages; others are in no order.
	if len(r.Manifest.Trends) != 1 || math.Abs(r.Manifest.Trends[0].Value-200.0/3) > 12*r.Manifest.Trends[0].Off || !strings.Contains(r.Manifest.Trends[0].Of, `"stage"`) {
		t.Errorf("%+v", r.Manifest.Trends)
	}
	c.Dimensions[0].Ordered = false
	r, err = PublishCube(t.Context(), newLedger(t), c, stages(), ledger.One, meta)
	must(t, err)
	if len(r.Manifest.Trends) != 0 {
		t.Errorf("a list in no order has %+v", r.Manifest.Trends)
	}
	if _, err := ParseCube([]byte(strings.Replace(stagesConfig, `"min":2015`, `"ordered":true,"min":2015`, 1))); err == nil || !strings.Contains(err.Error(), "therefore ordered") {
		t.Errorf("numbers that are said to be in order: %v", err)
	}
}

// trending are releases of every kind that have a trend.
func trending(t *testing.T) map[string]Release {
	out := map[string]Release{}
	for _, fields := range []string{`"method":"identity"`, `"method":"dpcube"`, `"method":"dpcube","fuse":true`, `"method":"uniform"`, `"method":"marginals","marginals":[["year","stage"],["stage"],["year"]]`} {
		r, err := PublishCube(t.Context(), newLedger(t), cubeOf(t, with(stagesConfig, fields)), stages(), ledger.One, meta)
		must(t, err)
		out[fields] = r
	}
	for _, question := range []string{"SELECT COUNT(*) GROUP BY year", "SELECT COUNT(*) WHERE year >= 2016 GROUP BY stage"} {
		r, err := AnswerQuery(t.Context(), newLedger(t), cubeOf(t, stagesConfig), question, stages(), ledger.One, meta)
		must(t, err)
		out[question] = r
	}
	for _, fields := range []string{`"ordered":true`, `"ordered":true,"separator":";"`} {
		c, err := ParseSequences([]byte(with(sequencesConfig, fields)))
		must(t, err)
		text := string(stays(400))
		if c.Separator != "" {
			text = strings.ReplaceAll(text, " ", ";")
		}
		r, err := PublishSequences(t.Context(), newLedger(t), c, Lines(text), ledger.One, meta)
		must(t, err)
		out[fields] = r
	}
	return out
}

// TestTrendsAreComputedAgain from the files, and found when they are others.
func TestTrendsAreComputedAgain(t *testing.T) {
	problems := func(r Release) []verify.Problem {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "r")
		_, err := r.Write(t.Context(), dir)
		must(t, err)
		rep, err := checked(os.DirFS(dir))
		must(t, err)
		return rep.Problems
	}
	for name, r := range trending(t) {
		if len(r.Manifest.Trends) == 0 {
			t.Errorf("%s: no trend", name)
		}
		if all := problems(r); len(all) > 0 {
			t.Errorf("%s: %q", name, all)
		}
		blocks := r.File("blocks.csv") != nil
		for i, was := range r.Manifest.Trends {
			for what, other := range map[string]Trend{
				"value": {was.Of, was.Value + 1, was.Off}, "error": {was.Of, was.Value, was.Off / 2}, "negative error": {was.Of, was.Value, -1},
				"nothing": {"steps of the counts by \"x\"", was.Value, was.Off}, "no words": {"trend", was.Value, was.Off},
			} {
				r.Manifest.Trends[i] = other
				if all := problems(r); (len(all) == 0) != (blocks && what == "error") {
					t.Errorf("%s: another %s: %q", name, what, all)
				}
			}
			r.Manifest.Trends[i] = was
		}
	}
}

// TestWhatCannotBeKeptIsNoTrend: a number that JSON has no word for would lose the
// release, which is paid for by then.
func TestWhatCannotBeKeptIsNoTrend(t *testing.T) {
	dim := cube.Dimension{Name: "year", Max: 1, Width: 1}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		good := func(int) float64 { return 1 }
		odd := func(int) float64 { return bad }
		if got := slices.Concat(trend(dim, odd, good), trend(dim, good, odd)); len(got) > 0 {
			t.Errorf("%+v", got)
		}
	}
}

// TestATrendIsRehearsed: it stands in what is encoded before anything is debited.
func TestATrendIsRehearsed(t *testing.T) {
	var m Manifest
	c := cubeOf(t, stagesConfig)
	p, err := c.params(ledger.One).Check(c.Dimensions, 1)
	must(t, err)
	m.planSlices(c, p)
	if len(m.Trends) != 2 || len(m.Errors) != 2 {
		t.Errorf("%+v", m)
	}
}
