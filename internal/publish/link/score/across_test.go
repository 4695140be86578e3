// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math/rand/v2"
	"testing"
)

func TestPairsAcrossFilesAreCountedOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		n := 1 + rng.IntN(12)
		second := rng.IntN(n + 1)
		truth, cluster := make([]int, n), make([]int, n)
		members := make([][]int, 4)
		for i := range n {
			truth[i], cluster[i] = rng.IntN(4)-1, rng.IntN(4)
			members[cluster[i]] = append(members[cluster[i]], i)
		}
		var want Pairs
		for i := range second {
			for j := second; j < n; j++ {
				same, linked := truth[i] == truth[j] && truth[i] >= 0, cluster[i] == cluster[j]
				if same {
					want.True++
				}
				if linked {
					want.Linked++
				}
				if same && linked {
					want.Right++
				}
			}
		}
		if got := Across(truth, members, second); got != want {
			t.Fatalf("%v in %v from %d: got %+v, want %+v", truth, members, second, got, want)
		}
	}
}
