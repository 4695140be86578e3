// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"hide/internal/annotate"
)

// small makes a few documents of a few tokens, some sensitive, some redacted, and
// scores with many ties.
func small(r *rand.Rand) ([]annotate.View, []int, [][]float64) {
	var views []annotate.View
	var group []int
	var scores [][]float64
	for i := range 1 + r.IntN(4) {
		n := r.IntN(3)
		d := &annotate.Note{Words: make([]string, n), Sensitive: make([]bool, n), SpanOf: make([]int, n)}
		g := r.IntN(i + 1)
		d.Group = strconv.Itoa(g)
		mask, s := make([]bool, n), make([]float64, n)
		for x := range n {
			d.Words[x], d.SpanOf[x] = "w", -1
			if d.Sensitive[x] = r.IntN(2) == 0; d.Sensitive[x] {
				d.SpanOf[x] = x
			}
			mask[x], s[x] = r.IntN(5) == 0, float64(r.IntN(3))
		}
		views, group, scores = append(views, annotate.View{Note: d, Redacted: mask}), append(group, g), append(scores, s)
	}
	return views, group, scores
}

type place struct{ view, token int }

// everyOrder calls fn with each order of the published tokens that the scores
// allow, which are equally likely.
func everyOrder(views []annotate.View, scores [][]float64, fn func([]place)) {
	var all []place
	for i, v := range views {
		for x := range v.Words {
			if !v.Hidden(x) {
				all = append(all, place{i, x})
			}
		}
	}
	score := func(p place) float64 { return scores[p.view][p.token] }
	var permute func(k int)
	permute = func(k int) {
		if k == len(all) {
			if slices.IsSortedFunc(all, func(a, b place) int { return cmp.Compare(score(b), score(a)) }) {
				fn(all)
			}
			return
		}
		for i := k; i < len(all); i++ {
			all[k], all[i] = all[i], all[k]
			permute(k + 1)
			all[k], all[i] = all[i], all[k]
		}
	}
	permute(0)
}

// counted is what the first budget tokens of an order hold.
func counted(views []annotate.View, group []int, order []place) (found, documents, groups int) {
	hitDocument, hitGroup := map[int]bool{}, map[int]bool{}
	for _, p := range order {
		if views[p.view].Remaining(p.token) {
			found++
			hitDocument[p.view], hitGroup[group[p.view]] = true, true
		}
	}
	return found, len(hitDocument), len(hitGroup)
}

func TestCurveIsTheMeanOverEveryOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 300 {
		views, group, scores := small(r)
		budgets := []int{3, 1, 2, 8, 5, 100}
		points := byScore(views, group, scores).curve(budgets, "")
		orders, sums := 0.0, make([]Point, len(budgets))
		everyOrder(views, scores, func(order []place) {
			orders++
			for k, b := range budgets {
				f, d, g := counted(views, group, order[:min(b, len(order))])
				sums[k].Found, sums[k].Documents, sums[k].Groups = sums[k].Found+float64(f), sums[k].Documents+float64(d), sums[k].Groups+float64(g)
			}
		})
		for k, p := range points {
			for _, pair := range [][2]float64{{p.Found, sums[k].Found}, {p.Documents, sums[k].Documents}, {p.Groups, sums[k].Groups}} {
				if math.Abs(pair[0]-pair[1]/orders) > 1e-9 {
					t.Fatalf("case %d, budget %d: %g, mean over %g orders %g", round, p.Budget, pair[0], orders, pair[1]/orders)
				}
			}
		}
	}
}

func TestMissedCountsDraws(t *testing.T) {
	for n := 1; n <= 8; n++ {
		for k := 0; k <= n; k++ {
			for b := 0; b <= n; b++ {
				miss, all := 0, 0
				for set := range 1 << n { // the k are the first
					drawn, hit := 0, false
					for x := range n {
						if set>>x&1 == 1 {
							drawn++
							hit = hit || x < k
						}
					}
					if drawn == b {
						all++
						if !hit {
							miss++
						}
					}
				}
				if got, want := missed(n, k, b), float64(miss)/float64(all); math.Abs(got-want) > 1e-12 {
					t.Errorf("n %d, k %d, b %d: %g, want %g", n, k, b, got, want)
				}
			}
		}
	}
}

func TestCurveOfNothing(t *testing.T) {
	p := byScore(nil, nil, nil).curve([]int{10}, "")[0]
	if p.Found != 0 || p.Documents != 0 || p.Groups != 0 || p.Budget != 10 {
		t.Errorf("got %+v", p)
	}
}

func TestScoresThatAreNoNumbersAreOneTier(t *testing.T) {
	r, tokens := rand.New(rand.NewPCG(1, 1)), 0
	for range 20 {
		views, group, scores := small(r)
		for i := range scores {
			scores[i] = slices.Repeat([]float64{math.NaN()}, len(scores[i]))
		}
		o := byScore(views, group, scores)
		tokens += o.tokens
		if len(o.tiers) != min(o.tokens, 1) || o.tokens > 0 && o.tiers[0].tokens != o.tokens {
			t.Errorf("%d tokens in %d tiers", o.tokens, len(o.tiers))
		}
	}
	if tokens == 0 {
		t.Error("nothing was ordered")
	}
}
