// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"math/rand/v2"
	"slices"
)

const resamples = 1000

// resampler draws groups with replacement, once for all figures, so that
// figures of one publication vary together.
type resampler struct {
	once  []float64   // every group once
	drawn [][]float64 // [resample][group] how often it was drawn
}

// newResampler prepares the document bootstrap over n groups. With publishing,
// each resample of the annotated groups is followed by a draw of as many groups
// to be published: the interval then covers what a publication of that size
// would leak, not only the mean.
func newResampler(n int, seed uint64, publishing bool) *resampler {
	random := rand.New(rand.NewPCG(seed, streamResample))
	s := &resampler{once: make([]float64, n), drawn: make([][]float64, resamples)}
	pool := make([]int, n)
	for g := range n {
		s.once[g], pool[g] = 1, g
	}
	for r := range s.drawn {
		from := pool
		if publishing {
			from = draw(random, pool)
		}
		s.drawn[r] = make([]float64, n)
		for _, g := range draw(random, from) {
			s.drawn[r][g]++
		}
	}
	return s
}

func draw(random *rand.Rand, from []int) []int {
	out := make([]int, len(from))
	for i := range out {
		out[i] = from[random.IntN(len(from))]
	}
	return out
}

// estimate is figure with its 2.5 % and 97.5 % quantiles over the resamples,
// widened to hold the value itself. figure is given how often each group was
// drawn.
func (s *resampler) estimate(figure func(drawn []float64) float64) Estimate {
	values := make([]float64, len(s.drawn))
	for r, d := range s.drawn {
		values[r] = figure(d)
	}
	slices.Sort(values)
	v, tail := figure(s.once), len(values)/40
	return Estimate{v, min(v, values[tail]), max(v, values[len(values)-1-tail])}
}

// none97 is -log(0.025): a Poisson count with this mean shows at least one
// event in 97.5 % of trials.
var none97 = -math.Log(0.025)

// count is the estimate of a number of events, given per group, of which there
// are at most most.
func (s *resampler) count(perGroup []float64, most int) Estimate {
	return s.bounded(sum(perGroup), most)
}

// bounded is the estimate of a number of events of which there are at most most:
// a resample may hold more, a publication of this size cannot. Resampling cannot
// show what never happened, so the interval of a count of 0 ends at none97
// events, the exact Poisson bound.
func (s *resampler) bounded(figure func(drawn []float64) float64, most int) Estimate {
	e := s.estimate(figure)
	if e.Value == 0 {
		e.High = max(e.High, none97)
	}
	e.High = max(e.Value, min(e.High, float64(most)))
	return e
}

// ratio is the estimate of sum(part)/sum(whole), 1 when the whole is empty.
func (s *resampler) ratio(part, whole []float64) Estimate {
	p, w := sum(part), sum(whole)
	return s.estimate(func(drawn []float64) float64 { return share(p(drawn), w(drawn)) })
}

func sum(perGroup []float64) func([]float64) float64 {
	return func(drawn []float64) float64 {
		n := 0.0
		for g, x := range perGroup {
			n += drawn[g] * x
		}
		return n
	}
}
