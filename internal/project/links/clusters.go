// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"context"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
)

// LinkClusters lists the patients of several records: those with bridges first, then the largest.
func (s *Service) LinkClusters(_ context.Context, by account.User, id project.ID, offset, limit int) (Clusters, error) {
	ws, l, err := s.openToRead(by, id)
	if err != nil {
		return Clusters{}, err
	}
	links := l.linksByRoot()
	var all []Cluster
	for root, members := range l.groups.members {
		c := Cluster{Patient: l.standsFor(members), Links: links[root]}
		for _, link := range c.Links {
			if link.Bridge {
				c.Bridges++
			}
		}
		for _, i := range members {
			c.Records = append(c.Records, Record{Number: l.numbers[i]})
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(min(b.Bridges, 1), min(a.Bridges, 1)), cmp.Compare(len(b.Records), len(a.Records)), cmp.Compare(a.Patient, b.Patient))
	})
	from, to := window(len(all), offset, limit)
	out := Clusters{Clusters: all[from:to], Offset: from, Total: len(all)}
	for _, c := range out.Clusters {
		for i, r := range c.Records {
			c.Records[i] = l.show(ws, l.known[r.Number].index)
		}
	}
	return out, nil
}

// linksByRoot are the links of each group of records, the most likely first.
func (l *loaded) linksByRoot() map[int][]Link {
	pairs := l.groups.linkedPairs()
	bridges := l.groups.bridges(pairs)
	out := map[int][]Link{}
	for _, p := range pairs {
		at := [2]int{p.a, p.b}
		_, decided := l.groups.decided[at]
		root := l.groups.root[p.a]
		out[root] = append(out[root], Link{Pair: l.id(p.a, p.b), Probability: probability(p.odds), Bridge: bridges[at], Decided: decided})
	}
	return out
}
