// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// network is the records of a project, by index, with what is known of pairs of them.
type network struct {
	records int
	pairs   []scoredPair // the most likely first
	odds    map[[2]int]float64
	decided map[[2]int]bool // a < b: same or not
	link    float64         // probability from which pairs are linked
	like    map[int]int     // of many equal records: the one that these were compared as
}

func newNetwork(records int, pairs []scoredPair, decided map[[2]int]bool, link float64, like map[int]int) *network {
	n := &network{records: records, pairs: pairs, odds: make(map[[2]int]float64, len(pairs)), decided: decided, link: link, like: like}
	for _, p := range pairs {
		n.odds[[2]int{p.a, p.b}] = p.odds
	}
	return n
}

// groups are the records of each patient.
type groups struct {
	*network
	root    []int         // of each record
	members map[int][]int // of each root, ascending; records that are alone have no entry
	apart   map[int][]int // of each root: records that must stay apart from its members
	splits  []scoredPair  // likely pairs whose groups do not fit
}

// group joins records to patients: first those that people said are the same, then by the most
// likely pairs.
//
// A pair joins the groups of its records unless somebody said that two of their members are
// different people, or the pairs across speak against it. So two persons do not become one
// through a third record that resembles both.
func (n *network) group() *groups {
	g := &groups{network: n, root: make([]int, n.records), members: map[int][]int{}, apart: map[int][]int{}}
	for i := range g.root {
		g.root[i] = i
	}
	for _, pair := range n.decisions() {
		if !n.decided[pair] {
			g.apart[pair[0]], g.apart[pair[1]] = append(g.apart[pair[0]], pair[1]), append(g.apart[pair[1]], pair[0])
		}
	}
	for _, pair := range n.decisions() {
		if n.decided[pair] {
			g.join(pair[0], pair[1])
		}
	}
	least := oddsOf(n.link)
	for _, p := range n.pairs {
		if p.odds < least {
			break
		}
		g.consider(p)
	}
	for _, m := range g.members {
		slices.Sort(m)
	}
	return g
}

// decisions are the pairs that people decided about, in order.
func (n *network) decisions() [][2]int {
	return slices.SortedFunc(maps.Keys(n.decided), func(x, y [2]int) int {
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
}

// consider joins the groups of a pair if they fit.
func (g *groups) consider(p scoredPair) {
	a, b := g.root[p.a], g.root[p.b]
	switch {
	case a == b || g.isApart(a, b):
	case len(g.of(a))+len(g.of(b)) > 2 && g.across(a, b) < min(0, oddsOf(g.link)):
		g.splits = append(g.splits, p)
	default:
		g.join(p.a, p.b)
	}
}

// of lists the records of a root.
func (g *groups) of(root int) []int {
	if m := g.members[root]; m != nil {
		return m
	}
	return []int{root}
}

func (g *groups) join(a, b int) {
	a, b = g.root[a], g.root[b]
	if a == b {
		return
	}
	if len(g.of(a)) < len(g.of(b)) {
		a, b = b, a
	}
	lost := g.of(b)
	for _, i := range lost {
		g.root[i] = a
	}
	g.members[a] = append(g.of(a), lost...)
	g.apart[a] = append(g.apart[a], g.apart[b]...)
	delete(g.members, b)
	delete(g.apart, b)
}

// isApart reports whether somebody said that members of two groups are different people.
func (g *groups) isApart(a, b int) bool {
	if len(g.apart[a]) > len(g.apart[b]) {
		a, b = b, a
	}
	return slices.ContainsFunc(g.apart[a], func(i int) bool { return g.root[i] == b })
}

// mostAcross is how many records of a group are compared with those of another. mostOdds bounds
// what one pair says, so that no pair outvotes several others. unkeptOdds is what a pair says
// that was not kept, because it is unlikely.
const (
	mostAcross = 8
	mostOdds   = 12.
	unkeptOdds = -8.
)

// across is the mean of the log2 odds of the pairs across two groups.
func (g *groups) across(a, b int) float64 {
	left, right := spread(g.of(a)), spread(g.of(b))
	sum := 0.
	for _, i := range left {
		for _, j := range right {
			odds, kept := g.between(i, j)
			if same, is := g.decided[[2]int{min(i, j), max(i, j)}]; is && same {
				odds, kept = mostOdds, true
			}
			if !kept {
				odds = unkeptOdds
			}
			sum += min(max(odds, -mostOdds), mostOdds)
		}
	}
	return sum / float64(len(left)*len(right))
}

// between are the log2 odds of two records, if they were kept. A record that was compared as
// another one has its odds.
func (n *network) between(i, j int) (odds float64, kept bool) {
	if odds, kept = n.odds[[2]int{min(i, j), max(i, j)}]; kept {
		return odds, true
	}
	a, follows := n.like[i]
	b, follows2 := n.like[j]
	switch {
	case !follows && !follows2:
		return 0, false
	case !follows:
		a = i
	case !follows2:
		b = j
	}
	if a == b { // two that follow one: they are equal to it and to each other
		odds, kept = n.odds[[2]int{min(a, j), max(a, j)}]
		return odds, kept
	}
	odds, kept = n.odds[[2]int{min(a, b), max(a, b)}]
	return odds, kept
}

// follows reports whether one of two equal records was compared as the other.
func (n *network) follows(p scoredPair) bool {
	a, is := n.like[p.a]
	b, is2 := n.like[p.b]
	return is && a == p.b || is2 && b == p.a
}

// spread takes at most mostAcross records, evenly.
func spread(group []int) []int {
	if len(group) <= mostAcross {
		return group
	}
	some := make([]int, mostAcross)
	for i := range some {
		some[i] = group[i*len(group)/mostAcross]
	}
	return some
}

// patients is how many persons the records are of.
func (g *groups) patients() int {
	n := g.records
	for _, m := range g.members {
		n -= len(m) - 1
	}
	return n
}

// isLink reports whether a pair is a link within a patient.
func (g *groups) isLink(p scoredPair) bool {
	if g.root[p.a] != g.root[p.b] {
		return false
	}
	if same, is := g.decided[[2]int{p.a, p.b}]; is {
		return same
	}
	return probability(p.odds) >= g.link
}

// linkedPairs are the links within patients, the most likely first, those of decisions included.
func (g *groups) linkedPairs() []scoredPair {
	var all []scoredPair
	for _, p := range g.pairs {
		if g.isLink(p) {
			all = append(all, p)
		}
	}
	for pair, same := range g.decided {
		if _, kept := g.odds[pair]; same && !kept {
			all = append(all, scoredPair{a: pair[0], b: pair[1], odds: math.Inf(1)})
		}
	}
	slices.SortStableFunc(all, func(x, y scoredPair) int {
		return cmp.Or(cmp.Compare(y.odds, x.odds), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return all
}
