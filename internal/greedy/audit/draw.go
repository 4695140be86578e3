// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Streams of the seeded generator. Their values are part of what a seed means: do
// not change them.
const (
	streamDraw  = 1
	streamCount = 2
)

// Plan is which documents to read, as indices.
type Plan struct {
	Random []int // in the order drawn: any number of the first is a random sample of the documents that are not in Picked
	Picked []int // most doubtful first
}

// Draw chooses the picked documents of the greatest doubt, and random ones of the
// others at random; fewer where there are fewer. Doubts are any measure by which
// documents can be ordered, such as the expected number of identifiers left; of
// equal ones the first is taken.
func Draw(doubts []float64, random, picked int, seed uint64) Plan {
	order := make([]int, len(doubts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(doubts[b], doubts[a]) })
	picked = max(0, min(picked, len(order)))
	p := Plan{Picked: slices.Clone(order[:picked])}
	rest := slices.Sorted(slices.Values(order[picked:]))
	for _, at := range rand.New(rand.NewPCG(seed, streamDraw)).Perm(len(rest))[:max(0, min(random, len(rest)))] {
		p.Random = append(p.Random, rest[at])
	}
	return p
}
