// SPDX-License-Identifier: Apache-2.0

// Package prefixtree publishes sequences under differential privacy: how many
// begin with each prefix (Gardner, dissertation, 5.2.3, after Chen et al.).
//
//	t, err := prefixtree.Build(ctx, sequences, prefixtree.Params{Alphabet: 4, Height: 7, Epsilon: ledger.One}, noise.Secure{})
//	n := t.Count([]int{0, 2, 2})
//
// Each unit has one sequence, cut to the height. It adds 1 to one node of each
// level, from the root at level 0 to the height, so that all counts together cost
// what the levels cost. These get equal shares, and the root a twentieth of one:
// what is below it says how many there are. Algorithm 6 as printed gives each of
// these height + 1 levels epsilon/height, and so spends more than epsilon.
//
// The root has children whatever it counts. Any other node whose noisy count reaches
// the threshold gets a child for every symbol of the alphabet, also for those that no
// sequence has there, and one for the end: a sequence that ends must count somewhere,
// or children would not add up to their parent. The threshold is two standard
// deviations of the noise, as in the algorithm, and a little more for large alphabets,
// of which more empty nodes pass by chance.
//
// Afterwards counts are made consistent, which costs nothing: a weighted mean of
// what a node and its children say, from the leaves up; the difference spread over
// the children, from the root down (Hay et al.); and then none below 0.
package prefixtree
