// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// order is the published tokens in the order in which an attacker looks at them,
// as tiers: she looks at all of a tier before the next, and at the tokens of one in
// a random order.
type order struct {
	tiers     []tier
	tokens    int
	sensitive int
}

type tier struct {
	tokens    int
	sensitive int
	documents []share // with sensitive tokens in the tier
	groups    []share
}

// share is how many of the sensitive tokens of a tier one document or group has.
type share struct{ of, sensitive int }

// byScore orders what views publish by score, highest first; equal scores are one
// tier. Documents that were chosen for what they hold are left out: they stand for no
// others. group is per view.
func byScore(views []annotate.View, group []int, scores [][]float64) *order {
	type token struct {
		score     float64
		view      int
		sensitive bool
	}
	var all []token
	for i, v := range views {
		for x := range v.Words {
			if !v.Hidden(x) && !v.Selected {
				all = append(all, token{scores[i][x], i, v.Remaining(x)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b token) int { return cmp.Compare(b.score, a.score) })
	out := &order{tokens: len(all)}
	for from := 0; from < len(all); {
		to := from
		t, documents, groups := tier{}, map[int]int{}, map[int]int{}
		for ; to < len(all) && cmp.Compare(all[to].score, all[from].score) == 0; to++ { // not ==, which would not end on NaN
			if all[to].sensitive {
				t.sensitive++
				documents[all[to].view]++
				groups[group[all[to].view]]++
			}
		}
		t.tokens, t.documents, t.groups = to-from, shares(documents), shares(groups)
		out.tiers, out.sensitive = append(out.tiers, t), out.sensitive+t.sensitive
		from = to
	}
	return out
}

func shares(counts map[int]int) []share {
	out := make([]share, 0, len(counts))
	for of, n := range counts {
		out = append(out, share{of, n})
	}
	slices.SortFunc(out, func(a, b share) int { return cmp.Compare(a.of, b.of) })
	return out
}

// Point is what an attacker finds with one budget.
type Point struct {
	Budget    int     `json:"budget"`
	Found     float64 `json:"found"`             // expected sensitive tokens among those she looks at
	Documents float64 `json:"documents"`         // expected documents with one of them
	Groups    float64 `json:"patients"`          // expected groups with one of them
	Learner   string  `json:"learner,omitempty"` // whose order it was; "" when there is none
}

// curve gives a point for each budget, in the order given. A budget beyond what is
// published finds what all of it holds.
func (o *order) curve(budgets []int, learner string) []Point {
	out := make([]Point, len(budgets))
	for _, k := range ascending(budgets) {
		out[k] = Point{Budget: budgets[k], Learner: learner}
	}
	w := walk{documents: map[int]bool{}, groups: map[int]bool{}}
	for _, k := range ascending(budgets) {
		for w.tier < len(o.tiers) && w.passed+o.tiers[w.tier].tokens <= budgets[k] {
			w.pass(o.tiers[w.tier])
		}
		w.fill(&out[k], o.tiers[w.tier:])
	}
	return out
}

// ascending is the indices of budgets, the smallest budget first.
func ascending(budgets []int) []int {
	out := make([]int, len(budgets))
	for k := range out {
		out[k] = k
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(budgets[a], budgets[b]) })
	return out
}

// walk is how far an attacker has come: the tiers that she has seen all of.
type walk struct {
	tier, passed, found int
	documents, groups   map[int]bool // with a sensitive token in those tiers
}

func (w *walk) pass(t tier) {
	w.tier, w.passed, w.found = w.tier+1, w.passed+t.tokens, w.found+t.sensitive
	for _, s := range t.documents {
		w.documents[s.of] = true
	}
	for _, s := range t.groups {
		w.groups[s.of] = true
	}
}

// fill adds what the rest of the budget finds in the tier that is seen in part.
func (w *walk) fill(p *Point, rest []tier) {
	p.Found, p.Documents, p.Groups = float64(w.found), float64(len(w.documents)), float64(len(w.groups))
	if len(rest) == 0 || p.Budget == w.passed {
		return
	}
	t, drawn := rest[0], p.Budget-w.passed
	p.Found += float64(drawn) * float64(t.sensitive) / float64(t.tokens)
	p.Documents += newlyHit(t.documents, w.documents, t.tokens, drawn)
	p.Groups += newlyHit(t.groups, w.groups, t.tokens, drawn)
}

// newlyHit is how many more documents or groups are expected to be hit.
func newlyHit(of []share, known map[int]bool, tokens, drawn int) float64 {
	sum := 0.0
	for _, s := range of {
		if !known[s.of] {
			sum += 1 - missed(tokens, s.sensitive, drawn)
		}
	}
	return sum
}

// missed is the probability that none of k of n tokens is among b drawn without
// return: C(n-k, b) / C(n, b) = prod_{j<k} (n-b-j) / (n-j).
func missed(n, k, b int) float64 {
	p := 1.0
	for j := range k {
		if b > n-1-j {
			return 0
		}
		p *= float64(n-b-j) / float64(n-j)
	}
	return p
}

// Panel is attackers who look at several publications of the same documents, as with
// one L/C after the other. What they learn elsewhere they learn once, and what was
// published before they do not attack again. One goroutine at a time uses it.
type Panel struct {
	p    Params
	done map[[sha256.Size]byte][]Result
}

// NewPanel takes the parameters of [Run].
func NewPanel(p Params) *Panel {
	p.elsewhere = nil
	for _, l := range p.Learners {
		p.elsewhere = append(p.elsewhere, &trainedOnce{Learner: l})
	}
	return &Panel{p, map[[sha256.Size]byte][]Result{}}
}

// Attack is [Run] of its attackers.
func (a *Panel) Attack(ctx context.Context, views []annotate.View) ([]Result, error) {
	if len(a.p.Kinds) == 0 {
		return nil, nil
	}
	masks := make([][]bool, len(views))
	for i, v := range views {
		masks[i] = v.Redacted
	}
	key := greedy.HashMasks(masks)
	if results, done := a.done[key]; done {
		return results, nil
	}
	results, err := Run(ctx, views, a.p, nil)
	if err == nil {
		a.done[key] = results
	}
	return results, err
}

// trainedOnce is a learner that is always given the same documents: it trains on
// them the first time.
type trainedOnce struct {
	greedy.Learner
	mu sync.Mutex // guards h
	h  greedy.Classifier
}

func (l *trainedOnce) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.h != nil {
		return l.h, nil
	}
	h, err := l.Learner.Train(ctx, views)
	if err == nil {
		l.h = h
	}
	return h, err
}
