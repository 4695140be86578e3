// SPDX-License-Identifier: Apache-2.0

// Package cube publishes counts of a table under differential privacy: data cubes
// (Gardner, dissertation, 5.2).
//
//	d := cube.Domain{{Name: "sex", Values: []string{"F", "M"}}, {Name: "age", Min: 0, Max: 99, Width: 5}}
//	counts, err := cube.Count(rows, d, rule)
//	r, err := cube.Publish(ctx, counts, cube.Params{Method: cube.DPCube, Epsilon: ledger.One}, noise.Secure{})
//	a, err := r.Answer(cube.Box{...})
//
// Neighbouring tables differ by one unit: a patient with all rows that the contribution
// bound admits. One more row changes one cell by 1, so that the sensitivity of all cells
// together is the bound.
//
// Methods:
//
//   - DPCube (Algorithms 2 to 4) spends a part of epsilon on every cell, chooses
//     blocks of similar cells from these noisy counts alone, and spends the rest on one
//     count for each block. Splitting continues inside of each half; as printed,
//     Algorithm 3 stops after the second split. Halves whose counts then do not differ by
//     more than noise are merged again.
//   - Identity counts every cell.
//   - Marginals counts only the cuboids that are named, each with its share of
//     epsilon, and makes them agree where they overlap.
//   - Uniform counts the total alone.
//
// Noisy counts are never clamped or rounded: the dissertation's baseline cuts each
// cell at 0, which adds a positive error for every empty cell, and a slice of
// 9,360 of them is then off by thousands. [Release.NonNegative] makes a view
// without negative counts of the whole, which is labelled as such.
//
// A domain is public: names, values, bins and their bounds come from a code book. Taken
// from the table, they would reveal what epsilon does not cover. A value that is not
// listed is refused, or counts as "(other)" when the dimension allows it.
package cube
