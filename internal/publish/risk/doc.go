// SPDX-License-Identifier: Apache-2.0

// Package risk says how likely somebody in a table is found by her
// quasi-identifiers, from the sizes of the classes of rows that are alike in
// them. The figures are those of ARX.
//
// A prosecutor looks for a person whom she knows to be in the table: in a class
// of f rows she is right with probability 1/f. A journalist looks for anybody,
// among the F people of a population who are alike: 1/F. A marketer looks for
// everybody: what counts is the share that she gets right.
//
// # Caveats
//
// The figures hold for who knows the quasi-identifiers and nothing more.
package risk
