// SPDX-License-Identifier: Apache-2.0

package greedy

import "math/rand/v2"

// Streams of the seeded generator, one per use, so that a new use does not shift
// the others. Their values are part of what a seed means: do not change them.
const (
	streamFolds    = 1 // cross-fitting
	streamHalves   = 2 // the ranked attacker
	streamResample = 3 // intervals
	streamPublish  = 4 // the outer folds of an experiment
)

// assign puts each document into one of at most folds folds, keeping groups
// together: groups in order of first appearance are shuffled and dealt out. It
// returns the fold per document and the number of folds, which is smaller than
// asked when there are fewer groups.
func assign(docs []Doc, folds int, seed, stream uint64) ([]int, int) {
	group, n := groups(docs)
	folds = min(folds, n)
	place := rand.New(rand.NewPCG(seed, stream)).Perm(n)
	fold := make([]int, len(docs))
	for i, g := range group {
		fold[i] = place[g] % folds
	}
	return fold, folds
}

// groups numbers the groups in order of first appearance and returns the number
// of each document's group and how many there are.
func groups(docs []Doc) ([]int, int) {
	number, of := map[string]int{}, make([]int, len(docs))
	for i, d := range docs {
		g, seen := number[d.Group]
		if !seen {
			g = len(number)
			number[d.Group] = g
		}
		of[i] = g
	}
	return of, len(number)
}
