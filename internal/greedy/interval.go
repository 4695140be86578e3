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
	once  times   // every group once
	drawn []times // by resample
	worse []times // the same with the pseudo-document as the last group; nil unless publishing
}

// times is how often each group was drawn. There are thousands of these, so a group takes
// one byte. A count above its limit has, for any number of groups, a probability below
// 10^-100, and is cut off.
type times []uint8

// newResampler prepares the document bootstrap over n groups. With publishing, each
// resample of the annotated groups is followed by a draw of as many groups to be
// published: the interval then covers the leak of a publication of that size, not only
// its mean. And everything is drawn once more with a pseudo-document among the annotated
// groups. Leaks clump, and resampling shows only the clumps that happened to be
// annotated; the pseudo-document is one that was not.
func newResampler(n int, seed uint64, publishing bool) *resampler {
	random := rand.New(rand.NewPCG(seed, streamResample))
	s := &resampler{once: ones(n), drawn: drawTimes(random, n, n, publishing)}
	if publishing {
		s.worse = drawTimes(random, n+1, n, true)
	}
	return s
}

// drawTimes makes the resamples, each of k draws of one of n groups; with publishing,
// from a resample of the n.
func drawTimes(random *rand.Rand, n, k int, publishing bool) []times {
	out, all, annotated := make([]times, resamples), make(times, resamples*n), make([]int, n)
	for r := range out {
		out[r], all = all[:n:n], all[n:]
		if !publishing {
			for range k {
				out[r].add(random.IntN(n))
			}
			continue
		}
		for i := range annotated {
			annotated[i] = random.IntN(n)
		}
		for range k {
			out[r].add(annotated[random.IntN(n)])
		}
	}
	return out
}

// add counts that a group was drawn once more.
func (t times) add(group int) { t[group] = max(t[group], t[group]+1) }

// figure is a statistic of a publication with each group weighted by how often it was
// drawn.
type figure func(drawn times) float64

// estimate is figure with its 2.5 % and 97.5 % quantiles over the resamples, widened to
// include the value itself.
func (s *resampler) estimate(f figure) Estimate {
	return interval(f(s.once), sorted(s.drawn, f))
}

func interval(v float64, values []float64) Estimate {
	tail := len(values) / 40
	return Estimate{Value: v, Low: min(v, values[tail]), High: max(v, values[len(values)-1-tail])}
}

func sorted(drawn []times, f figure) []float64 {
	values := make([]float64, len(drawn))
	for r, d := range drawn {
		values[r] = f(d)
	}
	slices.Sort(values)
	return values
}

// none97 is the Poisson mean with at least one event in 97.5 % of trials: the exact upper
// bound of a count of 0.
var none97 = -math.Log(0.025)

// left estimates a number of events to be published, given per group, with a maximum and
// the number in the pseudo-document.
func (s *resampler) left(perGroup []float64, document float64, most int) Estimate {
	return s.bounded(sum(perGroup), document, most)
}

// count is left without a pseudo-document.
func (s *resampler) count(perGroup []float64, most int) Estimate { return s.left(perGroup, 0, most) }

// bounded estimates a number of events with a maximum.
func (s *resampler) bounded(f figure, document float64, most int) Estimate {
	return s.spread(f, document).bounded(most)
}

// unbounded is estimate with the effect of the pseudo-document.
func (s *resampler) unbounded(f figure, document float64) Estimate {
	return s.spread(f, document).unbounded()
}

// spread is a statistic and its sorted values over the resamples, without and with the
// pseudo-document.
type spread struct {
	value        float64
	drawn, worse []float64 // worse is nil unless publishing
}

// spread computes f over the resamples; the pseudo-document adds document each time it is
// drawn.
func (s *resampler) spread(f figure, document float64) spread {
	d := spread{value: f(s.once), drawn: sorted(s.drawn, f)}
	if s.worse != nil {
		n := len(s.once)
		d.worse = sorted(s.worse, func(drawn times) float64 { return f(drawn[:n]) + float64(drawn[n])*document })
	}
	return d
}

// bounded estimates a number of events with a maximum: a resample may have more, a
// publication of this size cannot. Resampling cannot show what never happened, so the
// interval of a count of 0 ends at none97 events, the exact Poisson bound.
func (d spread) bounded(most int) Estimate {
	e := d.unbounded()
	if e.Value == 0 {
		e.High = max(e.High, none97)
	}
	e.High = max(e.Value, min(e.High, float64(most)))
	if d.worse != nil {
		e.AtMost = e.High
	}
	return e
}

// unbounded ends the interval at the 97.5 % quantile without the pseudo-document or the
// 95 % one with it, whichever is higher, and so does AtMost: of two upper limits of one
// number people believe the lower.
func (d spread) unbounded() Estimate {
	e := interval(d.value, d.drawn)
	if d.worse == nil {
		return e
	}
	e.High = max(e.High, d.worse[resamples-1-resamples/20])
	e.AtMost = e.High
	return e
}

// percentile95 is the smallest value that at least 95 % do not exceed; 0 of none.
func percentile95(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	ascending := slices.Sorted(slices.Values(values))
	return ascending[(95*len(ascending)+99)/100-1]
}

// ratio is the estimate of sum(part)/sum(whole), 1 when the whole is empty.
func (s *resampler) ratio(part, whole []float64) Estimate {
	p, w := sum(part), sum(whole)
	return s.estimate(func(drawn times) float64 { return share(p(drawn), w(drawn)) })
}

// sum is the sum of a value over groups, which is 0 for most.
func sum(perGroup []float64) figure {
	var some []amount
	for g, x := range perGroup {
		if x != 0 {
			some = append(some, amount{g, x})
		}
	}
	return sumOf(some)
}

// amount is what one group has.
type amount struct {
	group int
	of    float64
}

func sumOf(some []amount) figure {
	return func(drawn times) float64 {
		n := 0.0
		for _, a := range some {
			n += float64(drawn[a.group]) * a.of
		}
		return n
	}
}

func ones(n int) times { return slices.Repeat(times{1}, n) }
