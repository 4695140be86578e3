// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"math"
	"strconv"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/prefixtree"
	"hide/internal/publish/query"
)

// addSlices adds, for the slice of each dimension, its expected error with those of other
// methods for the same epsilon, and its trend.
func (m *Manifest) addSlices(r *cube.Release, c CubeConfig) {
	for d, dim := range r.Domain {
		answers, err := r.Slice([]int{d})
		if err != nil {
			continue // not measured
		}
		missed, own := 0.0, 0.0
		if r.Misses != nil {
			missed = r.Misses[d]
		}
		for _, a := range answers {
			own += a.Error / float64(len(answers))
		}
		own = max(own, noise.MeanAbs(missed))
		if !finite(own) {
			continue // JSON cannot represent it, and the paid release would be lost
		}
		e := cubeError(c, r.Params, d, own)
		e.addUniform(r.Params, answers, missed, c.sensitivity())
		m.Errors = append(m.Errors, e)
		m.Trends = append(m.Trends, sliceTrend(dim, answers, missed)...)
	}
}

// planSlices adds what addSlices adds, before noise is drawn.
func (m *Manifest) planSlices(c CubeConfig, p cube.Params) {
	variance := noise.Variance(c.sensitivity(), p.Epsilon.Float())
	for d, dim := range c.Dimensions {
		e := cubeError(c, p, d, 0)
		e.addUniform(p, make([]cube.Answer, dim.Size()), 0, c.sensitivity())
		m.Errors = append(m.Errors, e)
		m.Trends = append(m.Trends, trend(dim, func(int) float64 { return 0 }, func(int) float64 { return variance })...)
	}
}

const (
	// NoiseAlone ends the name of an expected error that does not include the error from
	// merging categories.
	NoiseAlone = ", noise alone"
	// Uniform is the baseline of one count spread evenly, UniformMost its upper bound.
	Uniform, UniformMost = "uniform", "uniform, all in one category"
)

// addUniform adds the mean absolute error of one count of all rows, spread evenly over n
// categories. For a release with counts c_i it is estimated from these, at no cost: the
// mean of |c_i - sum/n|, reduced by the share of its square that is noise, plus the noise
// of the one count, b/n.
//
// A release that consists of such a count gives no estimate. Its own error is the noise
// alone, and at most that with all T rows in one category,
// ((T - T/n) + (n-1) T/n)/n = 2T(n-1)/n^2.
func (e *ExpectedError) addUniform(p cube.Params, answers []cube.Answer, missed float64, bound int64) {
	n, total := float64(len(answers)), 0.0
	for _, a := range answers {
		total += a.Count
	}
	noisy := noise.Scale(bound, p.Epsilon.Float()) / n
	if p.Method == cube.Uniform {
		e.Question += NoiseAlone
		e.set(UniformMost, noisy+2*max(0, total)*(n-1)/(n*n))
		return
	}
	apart, squares, variance := 0.0, 0.0, 0.0
	for _, a := range answers {
		x := a.Count - total/n
		apart += math.Abs(x) / n
		squares += x * x / n
		variance += max(missed, a.SD*a.SD+a.Alike*a.Alike) / n
	}
	if squares > 0 {
		apart *= math.Sqrt(max(0, 1-variance/squares))
	}
	e.set(Uniform, noisy+apart)
}

// set adds a baseline, unless JSON cannot represent it.
func (e *ExpectedError) set(name string, x float64) {
	if finite(x) {
		e.Baselines[name] = x
	}
}

// finite reports whether JSON can represent a number.
func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// cubeError is the expected error of the categories of dimension d, own, with those of
// other methods: single cells, unless there are too many; one marginal for each
// dimension; and single cells cut off at 0. These need no data; addUniform adds the one
// that reads the release.
func cubeError(c CubeConfig, p cube.Params, d int, own float64) ExpectedError {
	identity, marginal := Baselines(c.Dimensions, d, c.sensitivity(), p.Epsilon)
	out := ExpectedError{Question: SliceOf(c.Dimensions[d].Name), Release: own, Baselines: map[string]float64{"one marginal each": marginal}}
	if c.Dimensions.Cells() <= cube.MostCells {
		each := c.Dimensions.Cells() / float64(c.Dimensions[d].Size())
		out.Baselines["identity"] = identity
		out.Baselines["identity, cut off at 0"] = each * clampBias(noise.Scale(c.sensitivity(), p.Epsilon.Float()))
	}
	return out
}

// SliceOf is the name of the expected error of the categories of a dimension.
func SliceOf(dimension string) string {
	return "mean over the categories of " + strconv.Quote(dimension)
}

// Baselines are the mean absolute errors of a count of one category of dimension d: summed
// over single cells, and from one marginal for each dimension. bound is how many rows one
// person can have.
func Baselines(domain cube.Domain, d int, bound int64, epsilon ledger.Micro) (identity, marginal float64) {
	e := epsilon.Float()
	each := domain.Cells() / float64(domain[d].Size())
	return noise.MeanAbs(each * noise.Variance(bound, e)), noise.Scale(bound, e/float64(len(domain)))
}

// clampBias is the mean of max(0, floor(x)) for Laplace noise x of scale b: the bias of an
// empty cell that is cut off at 0.
func clampBias(b float64) float64 { return 0.5 / math.Expm1(1/b) }

// Trend is a temporal trend (dissertation, 5.2.3). It is computed from the released counts
// and costs nothing.
type Trend struct {
	Of    string  `json:"of"`
	Value float64 `json:"value"`
	Off   float64 `json:"expected_error"`
}

// trendOf is the name of the average slope of the counts of an ordered dimension, such as a
// year. The dissertation divides by the number of bins, although the first has no step.
func trendOf(dim cube.Dimension) string {
	over := "bins"
	if dim.Ordered {
		over = "values"
	}
	return "steps of the counts by " + strconv.Quote(dim.Name) + ", their sum over the number of " + over
}

// trend is the average slope of the counts of an ordered dimension of at least two
// categories, unless JSON cannot represent it. The sum of the slopes between neighbours
// is the last count minus the first, so that its error is that of these two over their
// number.
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

// sliceTrend is the trend of the slice of a dimension. missed is a lower bound of the mean
// squared error of its counts.
func sliceTrend(dim cube.Dimension, answers []cube.Answer, missed float64) []Trend {
	return trend(dim, func(i int) float64 { return answers[i].Count }, func(i int) float64 {
		return max(missed, answers[i].SD*answers[i].SD+answers[i].Alike*answers[i].Alike)
	})
}

// answerTrends is the trend of an answer that is grouped by one ordered dimension.
func answerTrends(q *query.Query, a query.Answer) []Trend {
	if len(q.Groups) != 1 {
		return nil
	}
	v := noise.Variance(a.Phase.Sensitivity, a.Phase.Epsilon.Float())
	return trend(q.Domain[q.Groups[0]], func(i int) float64 { return float64(a.Counts[i]) }, func(int) float64 { return v })
}

// flat is below every slope other than 0: those of whole numbers are larger.
const flat = 1e-9

// sequenceTrends count the sequences that rise, stay level and fall on average over their
// length, by the place of their symbols in the alphabet. Where the tree was not grown, the
// prefix that it has decides, so that the error is of the noise alone.
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
