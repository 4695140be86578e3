// SPDX-License-Identifier: Apache-2.0

// Package audit bounds what remains in a candidate release from what people found in a
// part of it.
//
//	passages := audit.Cut(text, placeholders)              // of each released note
//	doubtful, others := audit.Doubtful(doubts, 200)        // to be read whole, and the rest
//	order := audit.Order(audit.Seed(secret, "4711"), others) // of the draw
//	certificate := audit.Certify(reading)                  // after any answer
//
// Every kept word is in one passage. A passage leaks if a reader who misses nothing finds an
// identifier in it. The bounds need no model and no assumption about where identifiers
// are: only the random draw, and readers whose recall planted identifiers measure
// ([Plants]). [Certify] has the rules; [Bound], [ThinnedBound] and [Anytime] the formulas
// and their sources. Package verify recomputes all of it in another way.
//
// # Caveats
//
// With planted identifiers the bounds assume that readers find real identifiers at least as
// often as planted ones, and that one miss does not depend on another. [Certificate.Worse]
// says what follows if real ones are missed twice as often. A passage in which one
// identifier was found and another missed counts as repaired.
//
// # The older estimate
//
// [Count] estimates from whole documents. Stored releases have its [Result]. The documents
// that the model doubts most are a stratum of their own and are all read: their identifiers
// count once and nothing is extrapolated from them. The others are a random sample of the
// rest, with equal probabilities, and stand for the rest. The estimate is unbiased whatever
// the documents and the models are.
//
// Identifiers clump, and a sample of twenty shows few clumps. The unread documents are
// drawn from a Bayesian bootstrap (Rubin 1981) over the sample and one pseudo-document.
// For upper bounds the pseudo-document has twice the identifiers of the worst document
// in the sample, and at least those of the worst selected document; for lower bounds it
// has none. For a share of documents the bounds are those of Clopper and Pearson, also
// when nothing was found. For a number of identifiers no sample can exclude that one
// document in a hundred is far worse than all that were read.
//
// The package is pure: it does no I/O, and equal inputs and seeds give equal results.
package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"hide/internal/greedy"
)

// Result is the result of an audit and its estimate for the whole publication.
type Result struct {
	Documents int `json:"documents"`         // documents of the publication
	Random    int `json:"random"`            // of them read, drawn at random
	Selected  int `json:"picked"`            // and read because the model doubts them most
	Found     int `json:"found"`             // identifiers in the documents read
	Glanced   int `json:"glanced,omitempty"` // documents read, but answered faster than anybody can read

	Remaining greedy.Estimate `json:"left"`    // identifiers in all documents as they would be published
	Unread    greedy.Estimate `json:"unread"`  // of these, in documents that nobody has read
	Leaking   greedy.Estimate `json:"leaking"` // documents with an identifier
}

// Whole reports whether every document was read, so that Found is exact.
func (r Result) Whole() bool { return r.Random+r.Selected >= r.Documents }

// Count estimates the remaining identifiers from the numbers found in each document read.
// Left.Value is unbiased: each document that was not selected had the same chance to be
// drawn. Without random documents only the findings are known and the rest is unbounded;
// Count then leaves Left, Unread and Leaking zero.
func Count(documents int, random, picked []int, seed uint64) Result {
	r := Result{Documents: documents, Random: len(random), Selected: len(picked), Found: sum(random) + sum(picked)}
	rest := documents - len(random) - len(picked)
	if len(random) == 0 && rest > 0 {
		return r
	}
	r.Unread = unread(random, worst(random, picked), rest, seed)
	r.Remaining = plus(r.Unread, float64(r.Found))
	r.Leaking = plus(unread(leaking(random), 1, rest, seed), float64(sum(leaking(random))+sum(leaking(picked))))
	return r
}

func sum(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// worst is the content of the pseudo-document: twice the most found in a random document,
// and at least the most in a selected one and one. Selected documents show how bad a
// document can be, but not how often.
func worst(random, picked []int) int {
	return max(1, 2*most(random), most(picked))
}

func most(counts []int) int {
	if len(counts) == 0 {
		return 0
	}
	return slices.Max(counts)
}

func leaking(counts []int) []int {
	out := make([]int, len(counts))
	for i, c := range counts {
		out[i] = min(c, 1)
	}
	return out
}

func plus(e greedy.Estimate, n float64) greedy.Estimate {
	return greedy.Estimate{Value: e.Value + n, Low: e.Low + n, High: e.High + n, AtMost: e.AtMost + n}
}

const resamples = 1000

// unread estimates the sum of counts over rest documents, of which counts are a random
// sample. The pseudo-document has worst.
func unread(counts []int, worst, rest int, seed uint64) greedy.Estimate {
	if rest <= 0 {
		return greedy.Estimate{}
	}
	if most := float64(unseen(rest, len(counts))); sum(counts) == 0 && worst == 1 {
		return greedy.Estimate{High: most, AtMost: most}
	}
	random := rand.New(rand.NewPCG(seed, streamCount))
	low, high := make([]float64, resamples), make([]float64, resamples)
	for r := range resamples {
		low[r] = population(random, counts, 0, rest)
		high[r] = population(random, counts, worst, rest)
	}
	slices.Sort(low)
	slices.Sort(high)
	v := float64(rest) * float64(sum(counts)) / float64(len(counts))
	top := max(v, low[resamples-1-resamples/40], high[resamples-1-resamples/20])
	return greedy.Estimate{Value: v, Low: min(v, low[resamples/40]), High: top, AtMost: top}
}

// sureness is the confidence of upper bounds.
const sureness = 0.95

// unseen is an upper bound on the leaking documents among rest unread ones if none of n
// random documents leaks. It is the closed form of the draws in [Count]: with none of n
// and one pseudo-document the leaking share is Beta(1, n), so for rest more documents
//
//	P(X >= x) = (rest/(rest+n)) ((rest-1)/(rest+n-1)) ...   of x factors.
func unseen(rest, random int) int {
	most, p := 0, 1.0
	for most < rest {
		if p *= float64(rest-most) / float64(rest+random-most); p <= 1-sureness {
			break
		}
		most++
	}
	return most
}

// drawnOneByOne is how many documents are drawn individually; the sum over all others is
// approximately normal.
const drawnOneByOne = 50

// population draws the sum over rest documents whose distribution is a draw from
// the Bayesian bootstrap over counts and one pseudo-document.
func population(random *rand.Rand, counts []int, pseudo, rest int) float64 {
	values := append(slices.Clone(counts), pseudo)
	upTo, total := make([]float64, len(values)), 0.0
	mean, square := 0.0, 0.0
	for i, v := range values { // Dirichlet(1, ..., 1): exponentials over their sum
		w := random.ExpFloat64()
		total += w
		upTo[i], mean, square = total, mean+w*float64(v), square+w*float64(v)*float64(v)
	}
	mean, square = mean/total, square/total
	drawn := min(rest, drawnOneByOne)
	n := 0.0
	for range drawn {
		at, _ := slices.BinarySearch(upTo, random.Float64()*total)
		n += float64(values[min(at, len(values)-1)])
	}
	others := float64(rest - drawn)
	return n + math.Max(0, others*mean+math.Sqrt(others*math.Max(0, square-mean*mean))*random.NormFloat64())
}

// Streams of the seeded generator. They are part of the meaning of a seed: do not change
// them.
const (
	streamDraw  = 1
	streamCount = 2
)

// Plan is the documents to read, as indices.
type Plan struct {
	Random   []int // in the order drawn: every prefix is a random sample of the documents outside Selected
	Selected []int // most doubtful first
}

// Draw selects the documents of greatest doubt, and draws random ones from the others;
// fewer if there are fewer. Doubt is any measure that orders documents, such as the
// expected number of remaining identifiers; ties go to the first.
func Draw(doubts []float64, random, picked int, seed uint64) Plan {
	order := make([]int, len(doubts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(doubts[b], doubts[a]) })
	picked = max(0, min(picked, len(order)))
	p := Plan{Selected: slices.Clone(order[:picked])}
	rest := slices.Sorted(slices.Values(order[picked:]))
	for _, at := range rand.New(rand.NewPCG(seed, streamDraw)).Perm(len(rest))[:max(0, min(random, len(rest)))] {
		p.Random = append(p.Random, rest[at])
	}
	return p
}
