// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"slices"
)

// findBridges finds the links whose removal splits a cluster of three records or more, weakest
// first [Tarjan 1974]. The link of a repeated record to its equal is not among them.
func (r *Result) findBridges() []Bridge {
	of := r.ClusterOf()
	links := make([][]int, len(r.Clusters)) // numbers in r.Pairs
	for i, p := range r.Pairs {
		if p.Probability < r.engine.config.Link {
			break
		}
		if c := of[p.A]; c >= 0 && c == of[p.B] {
			links[c] = append(links[c], i)
		}
	}
	var all []Bridge
	for c, members := range r.Clusters {
		if len(members) > 2 {
			all = append(all, r.bridgesOf(members, links[c])...)
		}
	}
	slices.SortStableFunc(all, func(a, b Bridge) int {
		return cmp.Or(cmp.Compare(a.Probability, b.Probability), r.engine.bestFirst(b.Pair, a.Pair))
	})
	return all
}

// A bridgeSearch walks the links of one cluster, depth first.
type bridgeSearch struct {
	next  [][]edge
	order []int // when each record was reached, 0 if not yet
	low   []int // the earliest record that its subtree reaches without its link upwards
	size  []int // records in its subtree
	time  int
	found func(link, size int)
}

type edge struct{ to, link int }

func (r *Result) bridgesOf(members, links []int) []Bridge {
	n := len(members)
	s := &bridgeSearch{next: make([][]edge, n), order: make([]int, n), low: make([]int, n), size: make([]int, n)}
	for _, i := range links {
		a, _ := slices.BinarySearch(members, r.Pairs[i].A)
		b, _ := slices.BinarySearch(members, r.Pairs[i].B)
		s.next[a], s.next[b] = append(s.next[a], edge{b, i}), append(s.next[b], edge{a, i})
	}
	var bridges []Bridge
	s.found = func(link, size int) {
		if p := r.Pairs[link]; !r.engine.isExtra(p.A) && !r.engine.isExtra(p.B) {
			bridges = append(bridges, Bridge{Pair: p, Left: size, Right: n - size})
		}
	}
	s.walk(0, -1)
	return bridges
}

func (s *bridgeSearch) walk(at, by int) {
	s.time++
	s.order[at], s.low[at], s.size[at] = s.time, s.time, 1
	for _, e := range s.next[at] {
		switch {
		case e.link == by:
		case s.order[e.to] > 0:
			s.low[at] = min(s.low[at], s.order[e.to])
		default:
			s.walk(e.to, e.link)
			s.low[at] = min(s.low[at], s.low[e.to])
			s.size[at] += s.size[e.to]
			if s.low[e.to] > s.order[at] {
				s.found(e.link, s.size[e.to])
			}
		}
	}
}
