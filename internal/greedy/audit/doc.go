// SPDX-License-Identifier: Apache-2.0

// Package audit counts what is left in exactly what would be published, by having
// people read some of it: whatever the documents are and however models were
// trained, a random sample of them is unbiased.
//
//	plan := audit.Draw(doubts, 20, 10, seed)                 // which documents to read
//	result := audit.Count(len(doubts), random, picked, seed) // identifiers found in them
//
// The documents that the model doubts most are read as well. They are a stratum of
// their own, read whole: what is found in them counts once, and nothing is
// extrapolated from it. The others are drawn at random from the rest, each with the
// same probability, and stand for the rest.
//
// # The interval
//
// Identifiers clump, and a sample of twenty shows few clumps. What the documents
// that nobody read hold is drawn from a Bayesian bootstrap (Rubin 1981) over the
// sample and one pseudo-document: twice as bad as the worst of the sample, and no better
// than the worst that was picked, for the upper bounds, and without identifiers for the
// lower one. A share of documents then has
// exactly the bounds of Clopper and Pearson, also where nothing was found. Of the
// number of identifiers no sample can exclude that one document in a hundred is far
// worse than all that were read: read more, or the doubtful ones.
//
// The package is pure: it does no I/O, and equal inputs and seeds give equal results.
package audit
