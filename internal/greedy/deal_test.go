// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestDealKeepsGroupsWholeAndFoldsEven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for seed := range uint64(200) {
		groups := make([]string, r.IntN(30))
		for i := range groups {
			groups[i] = strconv.Itoa(r.IntN(12))
		}
		fold, n := Deal(groups, 1+r.IntN(6), seed)
		of, size := map[string]int{}, make([]int, n)
		for i, g := range groups {
			if f, seen := of[g]; seen && f != fold[i] {
				t.Fatalf("group %s is in folds %d and %d", g, f, fold[i])
			} else if !seen {
				of[g] = fold[i]
				size[fold[i]]++
			}
		}
		for _, s := range size {
			if s < len(of)/n || s > (len(of)+n-1)/n {
				t.Fatalf("%d groups are dealt as %v", len(of), size)
			}
		}
	}
}
