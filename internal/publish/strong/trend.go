// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"math"
	"strconv"

	"hide/internal/publish/cube"
	"hide/internal/publish/noise"
	"hide/internal/publish/prefixtree"
	"hide/internal/publish/query"
)

// Trend is a temporal trend (dissertation, 5.2.3). It is computed from what is
// published, so that it costs nothing.
type Trend struct {
	Of    string  `json:"of"`
	Value float64 `json:"value"`
	Off   float64 `json:"expected_error"`
}

// trendOf names the average slope of the counts of a dimension that is in an order,
// such as a year, which the dissertation takes over all bins, of which the first has no
// step to it.
func trendOf(dim cube.Dimension) string {
	over := "bins"
	if dim.Ordered {
		over = "values"
	}
	return "steps of the counts by " + strconv.Quote(dim.Name) + ", their sum over the number of " + over
}

// trend is the average slope of the counts of a dimension that is in an order; of
// others, and of one category, there is none, nor one that cannot be kept. The sum of
// the slopes between neighbours is the last count less the first, so that its error is
// that of these two over their number.
func trend(dim cube.Dimension, count, variance func(i int) float64) []Trend {
	n := dim.Ranks()
	if n < 2 {
		return nil
	}
	counts := make([]float64, n)
	for i := range counts {
		counts[i] = count(i)
	}
	t := Trend{trendOf(dim), cube.AverageSlope(counts), noise.MeanAbs(variance(0)+variance(n-1)) / float64(n)}
	if !finite(t.Value) || !finite(t.Off) {
		return nil
	}
	return []Trend{t}
}

// sliceTrend is that of a dimension's own slice, whose counts miss so much in the mean
// square at least.
func sliceTrend(dim cube.Dimension, answers []cube.Answer, missed float64) []Trend {
	return trend(dim, func(i int) float64 { return answers[i].Count }, func(i int) float64 {
		return max(missed, answers[i].SD*answers[i].SD+answers[i].Alike*answers[i].Alike)
	})
}

// answerTrends is that of an answer which is grouped by one dimension in an order.
func answerTrends(q *query.Query, a query.Answer) []Trend {
	if len(q.Groups) != 1 {
		return nil
	}
	v := noise.Variance(a.Phase.Sensitivity, a.Phase.Epsilon.Float())
	return trend(q.Domain[q.Groups[0]], func(i int) float64 { return float64(a.Counts[i]) }, func(int) float64 { return v })
}

// flat is the steepest slope that is none: slopes of whole numbers are 0 or larger.
const flat = 1e-9

// sequenceTrends are how many sequences rise, stay level and fall on average over
// their length, by the place of their symbols in the alphabet. What the tree does not
// tell of, since it was not grown there, goes by the part that it does tell: the
// error is of the noise alone.
func sequenceTrends(t *prefixtree.Tree) []Trend {
	var out []Trend
	for _, c := range []struct {
		of     string
		lo, hi float64
	}{{"fall", math.Inf(-1), -flat}, {"stay level", -flat, flat}, {"rise", flat, math.Inf(1)}} {
		count, variance := t.Slopes(c.lo, c.hi)
		out = append(out, Trend{"sequences that " + c.of + " (error: of the noise alone)", count, noise.MeanAbs(variance)})
	}
	return out
}
