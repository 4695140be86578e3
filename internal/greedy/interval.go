// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
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

// missedSpans lists the runs of tokens of one sensitive span that masks leave readable,
// with an attacker's score, highest first.
func missedSpans(docs []annotate.Note, masks [][]bool, scores [][]float64) []Leak {
	return runs(docs, func(i, x int) int {
		if docs[i].Sensitive[x] && !masks[i][x] {
			return docs[i].SpanOf[x]
		}
		return -1
	}, scores)
}

// overRedacted lists the runs of other tokens that masks redact, highest score first.
func overRedacted(docs []annotate.Note, masks [][]bool, scores [][]float64) []Leak {
	return runs(docs, func(i, x int) int {
		if !docs[i].Sensitive[x] && masks[i][x] {
			return 0
		}
		return -1
	}, scores)
}

// runs collects maximal runs of tokens x of document i with one kind >= 0.
func runs(docs []annotate.Note, kind func(i, x int) int, scores [][]float64) []Leak {
	var out []Leak
	for i, d := range docs {
		last := -1
		for x := range d.Words {
			k := kind(i, x)
			switch {
			case k < 0:
			case k == last:
				run := &out[len(out)-1]
				run.To, run.Score = x+1, max(run.Score, scores[i][x])
			default:
				out = append(out, Leak{i, x, x + 1, scores[i][x]})
			}
			last = k
		}
	}
	slices.SortStableFunc(out, func(a, b Leak) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// kindTally counts the tokens of one kind that are not sensitive.
type kindTally struct {
	words int
	gone  []float64 // redacted tokens by group
}

func newKindTallies(groups int) map[WordKind]*kindTally {
	out := map[WordKind]*kindTally{}
	for _, k := range WordKinds() {
		out[k] = &kindTally{gone: make([]float64, groups)}
	}
	return out
}

// addOthers counts the tokens of v that are not sensitive by kind and cost.
func (t *tally) addOthers(v annotate.View, g int) {
	for x, s := range v.Sensitive {
		if s {
			continue
		}
		k := t.kinds[KindOf(v.Words[x])]
		k.words++
		if v.Hidden(x) {
			k.gone[g]++
			t.paid[g] += t.tariff.of(v.Note, x)
		}
	}
}

// overRedacted is the redacted other words by kind.
func (t *tally) overRedacted(s *resampler) []OverRedacted {
	var out []OverRedacted
	for _, kind := range WordKinds() {
		if k := t.kinds[kind]; k.words > 0 {
			out = append(out, OverRedacted{kind, k.words, s.count(k.gone, k.words)})
		}
	}
	return out
}

// AtRandom is the average number of sensitive tokens that an attacker finds who inspects
// budget of the published tokens at random, if left of them are sensitive: U_A / L of
// tkde section 3.2,
//
//	U_A/L = min(B, |P|) * FN(H) / |P|.
func AtRandom(budget int, published, left float64) float64 {
	if !(published > 0) {
		return 0
	}
	return min(float64(budget), published) * left / published
}

// Uniform is [AtRandom] where c are the counts of any classifier on the published text.
func (c Counts) Uniform(budget int) float64 {
	return AtRandom(budget, float64(c.TP+c.FP+c.TN+c.FN), float64(c.TP+c.FN))
}

// Prioritized is what she finds who inspects tokens that a classifier with counts c
// marks first, in no order, and others at random: U_A* / L of tkde section 4,
//
//	U_A*/L = TP + (B - TP - FP) * FN / (FN + TN)   when B >= TP + FP,
//	U_A*/L = B * TP / (TP + FP)                    otherwise.
func (c Counts) Prioritized(budget int) float64 {
	marked, rest := c.TP+c.FP, c.FN+c.TN
	if budget < marked {
		return float64(budget) * float64(c.TP) / float64(marked)
	}
	found := float64(c.TP)
	if rest > 0 {
		found += float64(min(budget-marked, rest)) * float64(c.FN) / float64(rest)
	}
	return found
}

// Forecast estimates a number of events in as many further documents as those they were
// counted in, the way [Sanitize] estimates missed PHI: perGroup has the numbers counted in
// each patient's documents, worst the number in the pseudo-document, and most their limit.
func Forecast(perGroup []float64, worst float64, most int, seed uint64) Estimate {
	return newResampler(len(perGroup), seed, true).left(perGroup, worst, most)
}
