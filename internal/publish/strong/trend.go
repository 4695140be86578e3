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

// trendOf names the average slope of the counts of a dimension of numbers, such as a
// year, which the dissertation takes over all bins, of which the first has no step to it.
func trendOf(dimension string) string {
	return "steps of the counts by " + strconv.Quote(dimension) + ", their sum over the number of bins"
}

// bins is how many bins a dimension of numbers has, 0 for others. The category of
// everything else is none.
func bins(d cube.Dimension) (n int) {
	for i := range d.Size() {
		if _, _, ok := d.Bounds(i); ok {
			n++
		}
	}
	return n
}

// slope is the average slope of n counts. The sum of the slopes between neighbours is
// the last count less the first, so that its error is that of these two over n.
func slope(of string, counts []float64, first, last float64) Trend {
	return Trend{of, cube.AverageSlope(counts), noise.MeanAbs(first+last) / float64(len(counts))}
}

// cubeTrends are those of the dimensions of numbers that the release tells of.
func cubeTrends(r *cube.Release) []Trend {
	var out []Trend
	for d, dim := range r.Domain {
		n := bins(dim)
		answers, err := r.Slice([]int{d})
		if n < 2 || err != nil {
			continue // nothing to rise, or not measured
		}
		counts := make([]float64, n)
		for i := range counts {
			counts[i] = answers[i].Count
		}
		missed := 0.0
		if r.Misses != nil {
			missed = r.Misses[d]
		}
		of := func(a cube.Answer) float64 { return max(missed, a.SD*a.SD+a.Alike*a.Alike) }
		out = append(out, slope(trendOf(dim.Name), counts, of(answers[0]), of(answers[n-1])))
	}
	return out
}

// answerTrends is that of an answer which is grouped by one dimension of numbers.
func answerTrends(q *query.Query, a query.Answer) []Trend {
	if len(q.Groups) != 1 {
		return nil
	}
	dim := q.Domain[q.Groups[0]]
	n := bins(dim)
	if n < 2 {
		return nil
	}
	counts := make([]float64, n)
	for i := range counts {
		counts[i] = float64(a.Counts[i])
	}
	v := noise.Variance(a.Phase.Sensitivity, a.Phase.Epsilon.Float())
	return []Trend{slope(trendOf(dim.Name), counts, v, v)}
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
		out = append(out, Trend{"sequences that " + c.of + " (error: of the noise alone)", t.Slopes(c.lo, c.hi), noise.MeanAbs(t.SlopesVariance(c.lo, c.hi))})
	}
	return out
}
