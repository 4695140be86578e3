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
// Where the population is not at hand, [Estimate] tells from a sample how many of
// its people are alone, by the models that ARX has.
//
// # Caveats
//
// The figures hold for who knows the quasi-identifiers and nothing more. Estimates
// take the rows for drawn at random from the population, which the patients of a
// ward are not.
package risk
