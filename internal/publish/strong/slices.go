// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"math"
	"strconv"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// tellSlices adds what each dimension's own slice tells: its expected error, beside
// those of other ways to spend the same epsilon, and its trend.
func (m *Manifest) tellSlices(r *cube.Release, c CubeConfig) {
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
			continue // it cannot be kept, and what was paid for would be lost
		}
		e := cubeError(c, r.Params, d, own)
		e.addUniform(r.Params, answers, missed, c.sensitivity())
		m.Errors = append(m.Errors, e)
		m.Trends = append(m.Trends, sliceTrend(dim, answers, missed)...)
	}
}

// foretellSlices adds what tellSlices would, without what is drawn.
func (m *Manifest) foretellSlices(c CubeConfig, p cube.Params) {
	variance := noise.Variance(c.sensitivity(), p.Epsilon.Float())
	for d, dim := range c.Dimensions {
		e := cubeError(c, p, d, 0)
		e.addUniform(p, make([]cube.Answer, dim.Size()), 0, c.sensitivity())
		m.Errors = append(m.Errors, e)
		m.Trends = append(m.Trends, trend(dim, func(int) float64 { return 0 }, func(int) float64 { return variance })...)
	}
}

const (
	// NoiseAlone ends the name of an expected error that leaves out what comes of taking
	// categories for alike.
	NoiseAlone = ", noise alone"
	// Uniform is the baseline of one count, spread evenly, UniformMost what it is at most.
	Uniform, UniformMost = "uniform", "uniform, all in one category"
)

// addUniform adds how far one count of all rows, spread evenly over n categories, is off
// in the mean. Of a release with counts c_i it is estimated from these, which costs
// nothing: the mean of |c_i - sum/n|, less the share of its square that is noise, and
// the noise of the one count, b/n.
//
// A release that is such a count has nothing to estimate that from. Its own error is
// the noise alone, and at most that with all T rows in one category,
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

// set keeps a baseline that can be kept.
func (e *ExpectedError) set(name string, x float64) {
	if finite(x) {
		e.Baselines[name] = x
	}
}

// finite says that JSON can have a number.
func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// cubeError is that of the categories of dimension d, own, beside other ways: cells
// counted one by one, unless they are too many to be, as many marginals as there are
// dimensions, and each cell cut off at 0. These need no data; see addUniform for the
// one that reads the release.
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

// SliceOf names the expected error of the categories of a dimension.
func SliceOf(dimension string) string {
	return "mean over the categories of " + strconv.Quote(dimension)
}

// Baselines are how far a count of one category of dimension d is off in the mean,
// added up from cells counted one by one, and from one marginal for each dimension;
// bound is how many rows one person can have.
func Baselines(domain cube.Domain, d int, bound int64, epsilon ledger.Micro) (identity, marginal float64) {
	e := epsilon.Float()
	each := domain.Cells() / float64(domain[d].Size())
	return noise.MeanAbs(each * noise.Variance(bound, e)), noise.Scale(bound, e/float64(len(domain)))
}

// clampBias is the mean of max(0, floor(x)) for Laplace noise x of scale b: what a
// cell without anybody adds when it is cut off at 0.
func clampBias(b float64) float64 { return 0.5 / math.Expm1(1/b) }
