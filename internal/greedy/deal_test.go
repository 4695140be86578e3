// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestDealKeepsGroupsWholeAndNoFoldEmpty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for seed := range uint64(200) {
		groups, most := make([]string, r.IntN(30)), 1+r.IntN(6)
		for i := range groups {
			groups[i] = strconv.Itoa(r.IntN(12))
		}
		fold, n := Deal(groups, most, seed)
		of, size := map[string]int{}, make([]int, n)
		for i, g := range groups {
			if f, seen := of[g]; seen && f != fold[i] {
				t.Fatalf("group %s is in folds %d and %d", g, f, fold[i])
			} else if !seen {
				of[g] = fold[i]
				size[fold[i]]++
			}
		}
		if n != min(most, len(of)) {
			t.Fatalf("%d folds of %d groups, asked for %d", n, len(of), most)
		}
		for _, s := range size {
			if s == 0 {
				t.Fatalf("%d groups are dealt as %v", len(of), size)
			}
		}
	}
}
