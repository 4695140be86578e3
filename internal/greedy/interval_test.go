// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// clumped is a source of documents of which most leak next to nothing, a few leak
// some of what they hold, and one in rare leaks most of it.
type clumped struct {
	random *rand.Rand
	leak   float64 // of an ordinary document, per sensitive token
	some   float64 // share of documents that leak a tenth
	rare   float64 // share of documents that leak seven tenths
}

func (c clumped) document() (sensitive, left float64) {
	n := 10 + c.random.IntN(60)
	p := c.leak
	switch u := c.random.Float64(); {
	case u < c.rare:
		p = 0.7
	case u < c.rare+c.some:
		p = 0.1
	}
	for range n {
		if c.random.Float64() < p {
			left++
		}
	}
	return float64(n), left
}

func (c clumped) documents(n int) (sensitive, left []float64) {
	for range n {
		s, l := c.document()
		sensitive, left = append(sensitive, s), append(left, l)
	}
	return sensitive, left
}

func total(xs []float64) float64 { return sum(xs)(ones(len(xs))) }

// TestEstimatesHoldWhatIsLeft draws annotated documents and, apart from them, as
// many to publish: the interval and "at most" must hold the number that the second
// lot leaks. An interval that takes tokens for independent does not.
func TestEstimatesHoldWhatIsLeft(t *testing.T) {
	const trials = 50
	for _, c := range []struct {
		name string
		n    int
		from clumped
	}{
		{"few documents", 30, clumped{nil, .004, .08, .01}},
		{"common clumps", 100, clumped{nil, .004, .1, .02}},
		{"rare clumps", 100, clumped{nil, .002, .03, .005}},
		{"many documents", 250, clumped{nil, .005, .05, .008}},
	} {
		c.from.random = rand.New(rand.NewPCG(7, uint64(c.n)))
		draws := severalResamplers(c.n, true)
		held, below, binomial, left, bound := 0, 0, 0, 0.0, 0.0
		for trial := range trials {
			sensitive, seen := c.from.documents(c.n)
			_, published := c.from.documents(c.n)
			truth := total(published)
			e := draws[trial%len(draws)].left(seen, percentile95(sensitive), int(total(sensitive)))
			left, bound = left+truth, bound+e.AtMost
			if e.Low <= truth && truth <= e.High {
				held++
			}
			if truth <= e.AtMost {
				below++
			}
			if p := e.Value / total(sensitive); math.Abs(truth-e.Value) <= 1.96*math.Sqrt(2*total(sensitive)*p*(1-p)) {
				binomial++
			}
		}
		if held < trials*90/100 {
			t.Errorf("%s: the interval held what was left in %d of %d publications", c.name, held, trials)
		}
		if below < trials*95/100 {
			t.Errorf("%s: at most held in %d of %d publications", c.name, below, trials)
		}
		if binomial >= trials*90/100 {
			t.Errorf("%s: a binomial interval held in %d of %d publications: these leaks are not clumped", c.name, binomial, trials)
		}
		if most := 2*left/trials + 4*70; bound/trials > most { // twice, and four whole documents
			t.Errorf("%s: at most is %.0f on average, of no use beyond %.0f", c.name, bound/trials, most)
		}
	}
}

// TestAtMostCountsOnAnUnseenClump: where no document leaked, three documents could.
func TestAtMostCountsOnAnUnseenClump(t *testing.T) {
	s := newResampler(100, 1, true)
	e := s.left(make([]float64, 100), 20, 2000)
	if e.Value != 0 || e.Low != 0 || e.AtMost < 40 || e.AtMost > 80 || e.High < e.AtMost {
		t.Errorf("%+v, want at most 40 to 80", e)
	}
	if e := s.count(make([]float64, 100), 2000); e.AtMost != e.High || math.Abs(e.High-3.69) > 0.01 {
		t.Errorf("%+v without a clump, want at most 3.69", e)
	}
	if e := s.left(make([]float64, 100), 20, 12); e.AtMost != 12 {
		t.Errorf("at most %g of 12", e.AtMost)
	}
	if e := newResampler(100, 1, false).left(make([]float64, 100), 20, 2000); e.AtMost != 0 {
		t.Errorf("at most %g where nothing is published", e.AtMost)
	}
}

func TestPercentile95IsTheLeastThatCoversItsShare(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for _, c := range []struct {
		of   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{5, 3}, 5}, {hundred, 95}, {hundred[:20], 99}} {
		if got := percentile95(c.of); got != c.want {
			t.Errorf("of %d values: %g, want %g", len(c.of), got, c.want)
		}
	}
}

// severalResamplers are of different seeds, for trials to take turns with: making them
// takes longer than a trial.
func severalResamplers(n int, publishing bool) []*resampler {
	all := make([]*resampler, 8)
	for seed := range all {
		all[seed] = newResampler(n, uint64(seed), publishing)
	}
	return all
}

// TestEstimatesOfOtherSizesHold: an estimate made for as many documents as were
// annotated, carried over to fewer and to more.
func TestEstimatesOfOtherSizesHold(t *testing.T) {
	const trials, n = 50, 80
	draws := severalResamplers(n, true)
	for _, published := range []int{20, 80, 400} {
		from := clumped{rand.New(rand.NewPCG(9, uint64(published))), .004, .08, .01}
		held, below := 0, 0
		for trial := range trials {
			sensitive, seen := from.documents(n)
			_, left := from.documents(published)
			truth := total(left)
			e := draws[trial%len(draws)].left(seen, percentile95(sensitive), int(total(sensitive))).Times(float64(published) / n)
			if e.Low <= truth && truth <= e.High {
				held++
			}
			if truth <= e.AtMost {
				below++
			}
		}
		if held < trials*90/100 || below < trials*95/100 {
			t.Errorf("%d documents: the interval held in %d, at most in %d of %d publications", published, held, below, trials)
		}
	}
	if e := (Estimate{Value: 0.5, Low: 0.4, High: 0.6}).Times(2); e.AtMost != 0 || e.Value != 1 || e.Low != 0.8 || e.High != 1.2 {
		t.Errorf("%+v", e)
	}
}

func TestResamplesDrawAsManyGroupsAsThereAre(t *testing.T) {
	for _, n := range []int{1, 2, 3, 300} {
		s := newResampler(n, 5, true)
		for r := range resamples {
			for _, drawn := range []times{s.drawn[r], s.worse[r]} {
				total := 0
				for _, k := range drawn {
					total += int(k)
				}
				if total != n {
					t.Fatalf("%d groups: %d drawn", n, total)
				}
			}
		}
	}
	drawn := make(times, 2)
	for range 300 {
		drawn.add(1)
	}
	if drawn[0] != 0 || drawn[1] != 255 {
		t.Errorf("what a byte cannot hold counts as %d", drawn[1])
	}
}

// A forecast carries over what was measured on documents that no classifier was trained on,
// with the spread of a sample, and nothing else.
func TestMissedInNeedsUnseenDocuments(t *testing.T) {
	o := Outcome{Documents: 100, IdentifiersMissed: Estimate{Value: 10, Low: 4, High: 20, AtMost: 18}}
	held := Outcome{Documents: 50, IdentifiersMissed: Estimate{Value: 10, AtMost: 30}}
	if got, ok := o.MissedIn(25, Default); !ok || got != o.IdentifiersMissed.Times(.25) {
		t.Errorf("%+v, %v", got, ok)
	}
	if got, ok := o.MissedIn(25, Paper); ok {
		t.Errorf("counts on training data forecast %+v", got)
	}
	o.HeldOut = &held
	if got, ok := o.MissedIn(50, Paper); !ok || got != held.IdentifiersMissed.Times(1) {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, empty := range []Outcome{{}, {Documents: 3, IdentifiersMissed: Estimate{Value: math.NaN()}}} {
		if _, ok := empty.MissedIn(5, Default); ok {
			t.Errorf("a forecast from %+v", empty)
		}
	}
}
