// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"slices"

	"hide/internal/disjoint"
)

// A grouping joins records to clusters, best link first.
type grouping struct {
	*disjoint.Sets
	result  *Result
	members map[int][]int // of each root with two records or more
}

// group makes clusters, bridges and splits from the links.
//
// A link joins the groups of its two records if the groups fit together: the mean evidence of
// the pairs across is for one person. So one weak link does not hold two persons together, and
// records that contradict each other do not meet through a third.
func (r *Result) group(ctx context.Context) error {
	g := &grouping{Sets: disjoint.New(r.Records), result: r, members: map[int][]int{}}
	link := r.engine.config.Link
	for i, p := range r.Pairs {
		if p.Probability < link {
			break
		}
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g.link(p)
	}
	r.Clusters = g.clusters()
	r.Bridges = r.findBridges()
	return nil
}

// link joins the groups of a pair, or refuses the link if they do not fit together.
func (g *grouping) link(p Pair) {
	a, b := g.Find(p.A), g.Find(p.B)
	if a == b {
		return
	}
	left, right := g.of(a), g.of(b)
	if g.result.engine.config.OneToOne && len(left)+len(right) > 2 {
		return
	}
	if evidence := g.evidence(left, right); evidence < 0 {
		g.result.Splits = append(g.result.Splits, Split{Pair: p, Left: len(left), Right: len(right), Evidence: evidence})
		return
	}
	g.merge(a, b)
}

// of lists the records of a root.
func (g *grouping) of(root int) []int {
	if m := g.members[root]; m != nil {
		return m
	}
	return []int{root}
}

// merge joins the groups of two roots.
func (g *grouping) merge(a, b int) {
	root, lost := g.Join(a, b)
	g.members[root] = append(g.of(root), g.of(lost)...)
	delete(g.members, lost)
}

// mostMembers is how many records of a group are compared with those of another.
const mostMembers = 8

// mostEvidence bounds what one pair says, in bits: no pair outvotes several others.
const mostEvidence = 6

// evidence is the mean of the log2 odds of the pairs across two groups.
func (g *grouping) evidence(left, right []int) float64 {
	if len(left)+len(right) == 2 {
		return mostEvidence
	}
	e := g.result.engine
	left, right = spread(left), spread(right)
	sum := 0.
	for _, a := range left {
		for _, b := range right {
			_, weight, _ := g.result.scorer.score(e.at[a], e.at[b])
			sum += min(max(weight+logOdds(e.prior), -mostEvidence), mostEvidence)
		}
	}
	return sum / float64(len(left)*len(right))
}

// spread takes at most mostMembers records, evenly.
func spread(group []int) []int {
	if len(group) <= mostMembers {
		return group
	}
	some := make([]int, mostMembers)
	for i := range some {
		some[i] = group[i*len(group)/mostMembers]
	}
	return some
}

func (g *grouping) clusters() [][]int {
	var all [][]int
	for _, m := range g.members {
		slices.Sort(m)
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b []int) int { return a[0] - b[0] })
	return all
}
