// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hide/internal/greedy"
	"hide/internal/testsize"
)

// source makes the documents of a publication: what remains in each.
type source func(random *rand.Rand) int

func poisson(random *rand.Rand, mean float64) int {
	n := 0
	for limit := math.Exp(-mean); ; n++ {
		if limit /= 1 - random.Float64(); limit >= 1 {
			return n
		}
	}
}

// even is another institution: every document leaks.
func even(random *rand.Rand) int { return poisson(random, 4+8*random.Float64()) }

// clumped: one document in five leaks, and one of these leaks much.
func clumped(random *rand.Rand) int {
	switch u := random.Float64(); {
	case u < 0.05:
		return 5 + random.IntN(6)
	case u < 0.25:
		return 1 + random.IntN(2)
	}
	return 0
}

// rare: one document in fifty leaks one or two.
func rare(random *rand.Rand) int {
	if random.IntN(50) == 0 {
		return 1 + random.IntN(2)
	}
	return 0
}

func publication(random *rand.Rand, from source, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = from(random)
	}
	return out
}

// of are the counts of some documents.
func of(all []int, which []int) []int {
	out := make([]int, len(which))
	for i, d := range which {
		out[i] = all[d]
	}
	return out
}

// TestAuditsCoverWhatIsLeft draws publications and audits: the intervals must hold
// the true number left in what was published.
func TestAuditsCoverWhatIsLeft(t *testing.T) {
	trials := testsize.Of(30, 500)
	for name, c := range map[string]struct {
		from                      source
		documents, random, picked int
	}{
		"even, 10 read":              {even, 150, 10, 0},
		"even, 20 read":              {even, 150, 20, 5},
		"even, many":                 {even, 1500, 20, 10},
		"clumped, 20 read":           {clumped, 200, 20, 0},
		"clumped, 40 and doubtful":   {clumped, 400, 40, 20},
		"clumped, most of them read": {clumped, 60, 40, 10},
		"rare, 30 read":              {rare, 300, 30, 10},
	} {
		random := rand.New(rand.NewPCG(uint64(c.documents), uint64(c.random)))
		held, below, leak, bias, truth, bound := 0, 0, 0, 0.0, 0.0, 0.0
		for trial := range uint64(trials) {
			all := publication(random, c.from, c.documents)
			p := Draw(doubts(random, all), c.random, c.picked, trial)
			r := Count(c.documents, of(all, p.Random), of(all, p.Selected), trial)
			left, documents := float64(sum(all)), float64(sum(leaking(all)))
			bias, truth = bias+r.Remaining.Value-left, truth+left
			held += one(r.Remaining.Low <= left && left <= r.Remaining.High)
			below += one(left <= r.Remaining.AtMost)
			leak += one(r.Leaking.Low <= documents && documents <= r.Leaking.High)
			bound += r.Remaining.AtMost
		}
		if held < trials*90/100 || below < trials*95/100 || leak < trials*90/100 {
			t.Errorf("%s: of %d the interval held %d, at most %d, documents %d", name, trials, held, below, leak)
		}
		if bound > 3*truth+0.3*float64(trials*c.documents) {
			t.Errorf("%s: at most is %.0f on average where %.0f are left", name, bound/float64(trials), truth/float64(trials))
		}
		if math.Abs(bias) > 0.25*truth {
			t.Errorf("%s: estimates are off by %.0f %% on average", name, 100*bias/truth)
		}
	}
}

// doubts go with what remains, as a model's do, but not closely.
func doubts(random *rand.Rand, all []int) []float64 {
	out := make([]float64, len(all))
	for i, n := range all {
		out[i] = float64(n) + 3*random.NormFloat64()
	}
	return out
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// TestCountIsUnbiased: over all samples of two of five documents the mean estimate
// is the truth, and what was selected adds nothing but itself.
func TestCountIsUnbiased(t *testing.T) {
	counts, picked := []int{0, 3, 1, 0, 7}, []int{50}
	mean, samples := 0.0, 0.0
	for i := range counts {
		for j := range i {
			mean += Count(6, []int{counts[i], counts[j]}, picked, 1).Remaining.Value
			samples++
		}
	}
	if mean /= samples; math.Abs(mean-61) > 1e-9 {
		t.Errorf("%g on average, want 61", mean)
	}
}

// TestNothingFoundIsNotNothing: of 100,030 documents 30 were read. The bound of the
// share that leak is a Beta quantile: 1 - .05^(1/30), all 5 % above it since there is
// nothing below 0.
func TestNothingFoundIsNotNothing(t *testing.T) {
	r := Count(100_030, make([]int, 30), nil, 1)
	bound := 100_000 * (1 - math.Pow(.05, 1./30))
	if r.Leaking.Value != 0 || r.Leaking.Low != 0 || math.Abs(r.Leaking.AtMost/bound-1) > .08 || r.Leaking.High != r.Leaking.AtMost {
		t.Errorf("%+v, want at most %.0f", r.Leaking, bound)
	}
	if r.Remaining != r.Leaking {
		t.Errorf("identifiers %+v, documents %+v", r.Remaining, r.Leaking)
	}
}

// TestAllReadIsAllKnown: there is nothing to estimate when nothing is left unread.
func TestAllReadIsAllKnown(t *testing.T) {
	for _, r := range []Result{Count(3, []int{1, 0}, []int{4}, 1), Count(1, nil, []int{5}, 1)} {
		want := greedy.Estimate{Value: 5, Low: 5, High: 5, AtMost: 5}
		if r.Remaining != want || r.Unread != (greedy.Estimate{}) || r.Found != 5 {
			t.Errorf("%+v", r)
		}
	}
}

func TestWithoutARandomDocumentNothingIsEstimated(t *testing.T) {
	if r := Count(10, nil, []int{3, 1}, 1); r.Found != 4 || r.Remaining != (greedy.Estimate{}) {
		t.Errorf("%+v", r)
	}
}

// Ten notes that the model doubted had 40 identifiers each: nobody may be told that of
// the notes which nobody read one in ten has a single one at most.
func TestWhatPickedDocumentsShowIsPossibleInTheOthers(t *testing.T) {
	random := make([]int, 20)
	without, with := Count(300, random, make([]int, 10), 1), Count(300, random, []int{40, 5, 0, 0, 0, 0, 0, 0, 0, 0}, 1)
	if without.Unread.AtMost != float64(unseen(270, 20)) {
		t.Errorf("nothing found: at most %g unread", without.Unread.AtMost)
	}
	if with.Unread.Value != 0 || with.Unread.Low != 0 || with.Unread.AtMost < 10*without.Unread.AtMost {
		t.Errorf("40 in one that was picked: %+v, without it at most %g", with.Unread, without.Unread.AtMost)
	}
	if with.Leaking.AtMost != without.Leaking.AtMost+2 {
		t.Errorf("documents: %+v and %+v", with.Leaking, without.Leaking)
	}
}

func TestCountIsTheSameEachTime(t *testing.T) {
	if a, b := Count(500, []int{0, 2, 0, 1}, []int{3}, 7), Count(500, []int{0, 2, 0, 1}, []int{3}, 7); a != b {
		t.Errorf("%+v and %+v", a, b)
	}
}

func TestDrawPicksTheMostDoubtfulAndDrawsFromTheRest(t *testing.T) {
	doubts := []float64{3, 9, 1, 9, 4, 0}
	drawn := make([]int, len(doubts))
	for seed := range uint64(3000) {
		p := Draw(doubts, 2, 2, seed)
		if !slices.Equal(p.Selected, []int{1, 3}) || len(p.Random) != 2 || p.Random[0] == p.Random[1] {
			t.Fatalf("%+v", p)
		}
		for _, d := range p.Random {
			drawn[d]++
		}
	}
	for d, n := range drawn {
		if picked := d == 1 || d == 3; picked != (n == 0) || !picked && (n < 1350 || n > 1650) {
			t.Errorf("document %d was drawn %d times in 3000, want 1500 or, when picked, none", d, n)
		}
	}
	if p := Draw(doubts, 20, 4, 1); len(p.Selected) != 4 || len(p.Random) != 2 {
		t.Errorf("%+v of 6 documents", p)
	}
	if p := Draw(nil, 5, 5, 1); len(p.Selected)+len(p.Random) != 0 {
		t.Errorf("%+v of none", p)
	}
	if p := Draw(doubts, -1, -1, 1); len(p.Selected)+len(p.Random) != 0 {
		t.Errorf("%+v, want none", p)
	}
	if a, b := Draw(doubts, 3, 1, 8), Draw(doubts, 3, 1, 8); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v and %+v", a, b)
	}
}

// TestUnseenIsWhatIsDrawnElsewhere: the closed form against what the Bayesian bootstrap
// draws.
func TestUnseenIsWhatIsDrawnElsewhere(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][2]int{{38, 2}, {18, 20}, {48, 5}} {
		const draws = 20_000
		above := make([]int, c[0]+1) // [x] draws with more than x
		for range draws {
			for x := range int(population(random, make([]int, c[1]), 1, c[0])) {
				above[x]++
			}
		}
		most := unseen(c[0], c[1])
		if above[most] > draws*55/1000 || most > 0 && above[most-1] < draws*45/1000 {
			t.Errorf("%v: %d; %d of %d draws are above", c, most, above[most], draws)
		}
	}
	if unseen(0, 3) != 0 || unseen(1, 1) != 1 {
		t.Error("of none and of one")
	}
}
