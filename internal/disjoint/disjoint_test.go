// SPDX-License-Identifier: Apache-2.0

package disjoint_test

import (
	"math/rand/v2"
	"testing"

	"hide/internal/disjoint"
)

// TestSetsAgreeWithNames joins at random, and compares with sets that are renamed one member at a
// time.
func TestSetsAgreeWithNames(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(30)
		sets, name := disjoint.New(n), make([]int, n)
		for i := range name {
			name[i] = i
		}
		for range 2 * n {
			a, b := r.IntN(n), r.IntN(n)
			together := name[a] == name[b]
			root, lost := sets.Join(a, b)
			if (root == lost) != together || sets.Find(a) != root || sets.Find(lost) != root {
				t.Fatalf("seed %d: join %d and %d: root %d, lost %d", seed, a, b, root, lost)
			}
			was, now := name[a], name[b]
			for i := range name {
				if name[i] == was {
					name[i] = now
				}
			}
			for i := range n {
				size := 0
				for j := range n {
					if (sets.Find(i) == sets.Find(j)) != (name[i] == name[j]) {
						t.Fatalf("seed %d: %d and %d", seed, i, j)
					}
					if name[i] == name[j] {
						size++
					}
				}
				if sets.Size(i) != size {
					t.Fatalf("seed %d: the set of %d has %d members, want %d", seed, i, sets.Size(i), size)
				}
			}
		}
	}
}
