// SPDX-License-Identifier: Apache-2.0

package greedy

import "hide/internal/crf"

// Deal puts each of several things, by the group that each belongs to, into one
// of at most folds folds, none empty, and keeps groups whole. It returns the fold
// of each and the number of folds, which is smaller than asked when there are fewer
// groups. It is for learners and attackers that hold documents out of their own
// training: its folds, those of [crf.Folds], have nothing to do with [Params].
func Deal(groups []string, folds int, seed uint64) ([]int, int) {
	distinct := map[string]bool{}
	for _, g := range groups {
		distinct[g] = true
	}
	folds = min(folds, len(distinct))
	fold, err := crf.Folds(groups, folds, seed)
	if err != nil { // nothing to divide
		return make([]int, len(groups)), folds
	}
	return fold, folds
}
