// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEqualScoresStayInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		all := make([]ranked, n)
		for i := range all {
			all[i] = ranked{score: float64(r.IntN(5)) / 4, group: int32(i)}
		}
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
		if got := inOrder(all); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
