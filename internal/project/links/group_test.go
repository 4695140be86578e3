// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/project/links"
)

// reached are the records that links connect with the first, without one of the links.
func reached(first, without int, linked []links.Scored) map[int]bool {
	seen := map[int]bool{first: true}
	for grew := true; grew; {
		grew = false
		for i, p := range linked {
			if i != without && seen[p.A] != seen[p.B] {
				seen[p.A], seen[p.B], grew = true, true, true
			}
		}
	}
	return seen
}

// TestGroupsAndBridges compares with searches through random small networks.
func TestGroupsAndBridges(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found, split := 0, 0
	for range 2000 {
		n := 2 + rng.IntN(8)
		var pairs []links.Scored
		decided := map[[2]int]bool{}
		for a := range n {
			for b := a + 1; b < n; b++ {
				if rng.IntN(3) == 0 {
					pairs = append(pairs, links.Scored{A: a, B: b, Odds: float64(rng.IntN(30) - 6)})
				}
				if rng.IntN(12) == 0 {
					decided[[2]int{a, b}] = false
				}
			}
		}
		slices.SortFunc(pairs, func(x, y links.Scored) int {
			return cmp.Or(cmp.Compare(y.Odds, x.Odds), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
		})
		if a := rng.IntN(n - 1); len(decided) == 0 {
			decided[[2]int{a, a + 1}] = true
		}
		root, linked, bridges := links.Group(n, pairs, decided, .5)
		want := map[[2]int]bool{}
		for i, p := range linked {
			size := 0
			for _, r := range root {
				if r == root[p.A] {
					size++
				}
			}
			if size > 2 && !reached(p.A, i, linked)[p.B] {
				want[[2]int{p.A, p.B}] = true
			}
		}
		if !maps.Equal(bridges, want) {
			t.Fatalf("bridges %v, want %v, of %v", bridges, want, linked)
		}
		found += len(want)
		for a := range n {
			group := reached(a, -1, linked)
			for b := range n {
				if group[b] != (root[a] == root[b]) {
					t.Fatalf("records %d and %d: links say %v, groups %v", a, b, group[b], root[a] == root[b])
				}
			}
		}
		for pair, same := range decided {
			if same != (root[pair[0]] == root[pair[1]]) {
				t.Fatalf("pair %v was decided %v and is not", pair, same)
			}
		}
		for _, p := range pairs {
			if p.Odds >= 0 && root[p.A] != root[p.B] {
				split++
			}
		}
	}
	if found < 100 || split < 100 {
		t.Errorf("only %d bridges and %d refused links: the test shows little", found, split)
	}
}

// TestAThirdRecordDoesNotHoldTwoPersonsTogether is about a record that resembles two persons of
// several records each.
func TestAThirdRecordDoesNotHoldTwoPersonsTogether(t *testing.T) {
	var pairs []links.Scored
	for a := range 6 {
		for b := a + 1; b < 6; b++ {
			if a/3 == b/3 {
				pairs = append(pairs, links.Scored{A: a, B: b, Odds: 20})
			}
		}
	}
	pairs = append(pairs, links.Scored{A: 0, B: 6, Odds: 9}, links.Scored{A: 1, B: 6, Odds: 9}, links.Scored{A: 2, B: 6, Odds: 9}, links.Scored{A: 3, B: 6, Odds: 8})
	root, _, _ := links.Group(7, pairs, nil, .5)
	if root[6] != root[0] || root[0] != root[1] || root[3] == root[0] || root[3] != root[5] {
		t.Errorf("the groups are %v", root)
	}
}
