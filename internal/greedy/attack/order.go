// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// order is the published tokens in an attacker's order, as tiers: she inspects a whole
// tier before the next, and the tokens within a tier in random order.
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

// share is the number of sensitive tokens of a tier in one document or group.
type share struct{ of, sensitive int }

// byScore orders the published tokens by score, highest first; equal scores form one
// tier. Documents selected for their content are left out, because they do not represent
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
		for ; to < len(all) && cmp.Compare(all[to].score, all[from].score) == 0; to++ { // not ==, which would loop forever on NaN
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
	Found     float64 `json:"found"`             // expected sensitive tokens among the inspected ones
	Documents float64 `json:"documents"`         // expected documents with one of them
	Groups    float64 `json:"patients"`          // expected groups with one of them
	Learner   string  `json:"learner,omitempty"` // the learner that gave the order; "" if none
}

// curve returns a point for each budget, in the order given. A budget beyond the
// published tokens finds everything.
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

// ascending returns the indices of budgets, smallest budget first.
func ascending(budgets []int) []int {
	out := make([]int, len(budgets))
	for k := range out {
		out[k] = k
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(budgets[a], budgets[b]) })
	return out
}

// walk is the progress of an attacker: the tiers inspected completely.
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

// fill adds the expected findings of the remaining budget in the partly inspected tier.
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

// newlyHit is the expected number of further documents or groups that are hit.
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

// Panel runs attackers on several publications of the same documents, such as one per
// L/C. Training on other corpora happens once, and equal publications are attacked once.
// It is for one goroutine at a time.
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

// trainedOnce is a learner that always gets the same documents: it trains the first time.
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

// Redacted lists the distinct surfaces that views redact, as runs of neighbouring tokens
// in order of first appearance. The strongest [Repeat] attacker knows all of them, from
// structured fields, another release or a leak; a weaker one is given a part.
func Redacted(views []annotate.View) []string {
	var out []string
	seen := map[string]bool{}
	for _, v := range views {
		for x := 0; x < len(v.Words); x++ {
			from := x
			for x < len(v.Words) && v.Hidden(x) {
				x++
			}
			surface := strings.Join(v.Words[from:x], " ")
			if surface != "" && !seen[surface] {
				seen[surface] = true
				out = append(out, surface)
			}
		}
	}
	return out
}

// Scores that repeat adds to r.
const (
	partScore  = 1
	wholeScore = 2
)

// repeat scores by the known redacted surfaces, ignoring case: 2 + r for tokens of a
// whole known surface, 1 + r for words of known surfaces, r for neighbours of a
// placeholder, where r = 1 / (1 + the number of times the word is published) ranks rare
// words first. Tokens without letter or digit count only within a whole surface. She
// marks whole surfaces as sensitive.
func repeat(views []annotate.View, known []string) [][]float64 {
	whole, parts, often := &trie{}, map[string]bool{}, map[string]int{}
	for _, surface := range known {
		words := folded(surface)
		whole.add(words)
		for _, w := range words {
			parts[w] = true
		}
	}
	words := make([][]string, len(views))
	for i, v := range views {
		words[i] = visibleWords(v)
		for _, w := range words[i] {
			often[w]++
		}
	}
	out := blank(views)
	for i, v := range views {
		for x, w := range words[i] {
			rare := 1 / float64(1+often[w])
			switch {
			case w == "" || !hasLetterOrDigit(w):
			case parts[w]:
				out[i][x] = max(out[i][x], partScore+rare)
			case x > 0 && v.Hidden(x-1) || x+1 < len(words[i]) && v.Hidden(x+1):
				out[i][x] = max(out[i][x], rare)
			}
			for end := whole.longest(words[i][x:]); end > 0; end-- {
				y := x + end - 1
				out[i][y] = max(out[i][y], wholeScore+1/float64(1+often[words[i][y]]))
			}
		}
	}
	return out
}

// visibleWords are the words of v in lower case, "" for redacted ones.
func visibleWords(v annotate.View) []string {
	out := make([]string, len(v.Words))
	for x, w := range v.Words {
		if !v.Hidden(x) {
			out[x] = strings.ToLower(w)
		}
	}
	return out
}

// folded are the tokens of a surface in lower case.
func folded(surface string) []string {
	var out []string
	for _, t := range annotate.Tokenize(surface) {
		out = append(out, strings.ToLower(surface[t.Start:t.End]))
	}
	return out
}

// hasLetterOrDigit reports whether a word has a letter or a digit.
func hasLetterOrDigit(w string) bool {
	return strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// trie holds sequences of words.
type trie struct {
	next map[string]*trie
	ends bool
}

// add adds a sequence, unless it has only punctuation.
func (t *trie) add(words []string) {
	if !hasLetterOrDigit(strings.Join(words, "")) {
		return
	}
	for _, w := range words {
		if t.next == nil {
			t.next = map[string]*trie{}
		}
		if t.next[w] == nil {
			t.next[w] = &trie{}
		}
		t = t.next[w]
	}
	t.ends = true
}

// longest is the length of the longest sequence at the start of words; 0 if there is
// none.
func (t *trie) longest(words []string) int {
	best := 0
	for n, w := range words {
		if t = t.next[w]; t == nil {
			break
		}
		if t.ends {
			best = n + 1
		}
	}
	return best
}
