// SPDX-License-Identifier: Apache-2.0

package links

// Scored is a pair of records with its log2 odds.
type Scored struct {
	A, B int
	Odds float64
}

// Group joins records by pairs and decisions. It returns the group of each record and the
// bridges. Pairs are the most likely first.
func Group(records int, pairs []Scored, decided map[[2]int]bool, link float64) (root []int, linked []Scored, bridges map[[2]int]bool) {
	var all []scoredPair
	for _, p := range pairs {
		all = append(all, scoredPair{a: p.A, b: p.B, odds: p.Odds})
	}
	g := newNetwork(records, all, decided, link, nil).group()
	links := g.linkedPairs()
	for _, p := range links {
		linked = append(linked, Scored{p.a, p.b, p.odds})
	}
	return g.root, linked, g.bridges(links)
}
