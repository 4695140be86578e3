// SPDX-License-Identifier: Apache-2.0

// Package mondrian partitions a table into classes by Mondrian multidimensional
// recoding (LeFevre, DeWitt, Ramakrishnan, ICDE 2006; HIDE dissertation,
// Algorithm 1): it cuts the rows in two along one quasi-identifier, again and
// again, as long as both parts keep at least k rows and are diverse enough.
//
//	classes, err := mondrian.Partition(ctx, t, mondrian.Options{K: 5})
//
// [NCP], the default cut, tries every cut of every attribute and takes the one
// after which the two parts have the least information loss. [Nearest] takes the attribute with the
// widest normalized span and of its allowable cuts the one nearest to the middle.
// [LeFevre] and [RxAnon] cut where those publications do and only there, to
// compare with.
//
// Strict partitioning, the default, puts rows that are alike into one class.
// [Options.Relaxed] deals rows at the median to both sides, so that classes may
// overlap and have between k and 2k-1 rows.
//
// Rows with equal quasi-identifiers are held together and counted, so the time
// goes by the number of different rows. Equal inputs give equal classes.
package mondrian
