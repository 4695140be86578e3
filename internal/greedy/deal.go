// SPDX-License-Identifier: Apache-2.0

package greedy

import "math/rand/v2"

// Deal puts each of several things, by the group that each belongs to, into one
// of at most folds folds, none empty, and keeps groups whole. Groups in order of
// first appearance are shuffled and dealt out. It returns the fold of each and
// the number of folds, which is smaller than asked when there are fewer groups.
// It is for learners and attackers that hold documents out of their own training,
// so its shuffle has nothing to do with the folds of [Params].
func Deal(groups []string, folds int, seed uint64) ([]int, int) {
	number, of := map[string]int{}, make([]int, len(groups))
	for i, g := range groups {
		n, seen := number[g]
		if !seen {
			n = len(number)
			number[g] = n
		}
		of[i] = n
	}
	folds = min(folds, len(number))
	place := rand.New(rand.NewPCG(seed, streamDeal)).Perm(len(number))
	for i, n := range of {
		of[i] = place[n] % folds
	}
	return of, folds
}

// streamDeal is far from the numbers of folds.go, which count up.
const streamDeal = 1 << 32
