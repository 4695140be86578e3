// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"hide/internal/annotate"
	"math/rand/v2"
)

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
func assign(docs []annotate.Note, folds int, seed, stream uint64) ([]int, int) {
	group, n := groups(docs)
	folds = min(folds, n)
	place := rand.New(rand.NewPCG(seed, stream)).Perm(n)
	fold := make([]int, len(docs))
	for i, g := range group {
		fold[i] = place[g] % folds
	}
	return fold, folds
}

// groups are [Groups] of documents.
func groups(docs []annotate.Note) (number []int, n int) {
	return Groups(docs, func(d annotate.Note) string { return d.Group })
}

// Groups numbers the groups of things in order of first appearance, from 0, and
// returns the number of each thing's group and how many there are.
func Groups[T any](things []T, group func(T) string) (number []int, n int) {
	of := map[string]int{}
	number = make([]int, len(things))
	for i, t := range things {
		g, seen := of[group(t)]
		if !seen {
			g = len(of)
			of[group(t)] = g
		}
		number[i] = g
	}
	return number, len(of)
}
