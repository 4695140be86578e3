// SPDX-License-Identifier: Apache-2.0

// Package audit estimates the identifiers that remain in a publication from the
// documents of it that people have read.
//
//	plan := audit.Draw(doubts, 20, 10, seed)                   // which documents to read
//	result := audit.Count(len(doubts), random, selected, seed) // identifiers found in them
//
// The documents that the model doubts most are a stratum of their own and are all read:
// their identifiers count once and nothing is extrapolated from them. The others are a
// random sample of the rest, with equal probabilities, and stand for the rest. The
// estimate is unbiased whatever the documents and the models are.
//
// # How is the interval made?
//
// Identifiers clump, and a sample of twenty shows few clumps. The unread documents are
// drawn from a Bayesian bootstrap (Rubin 1981) over the sample and one pseudo-document.
// For upper bounds the pseudo-document has twice the identifiers of the worst document
// in the sample, and at least those of the worst selected document; for lower bounds it
// has none. For a share of documents the bounds are those of Clopper and Pearson, also
// when nothing was found. For a number of identifiers no sample can exclude that one
// document in a hundred is far worse than all that were read.
//
// The package is pure: it does no I/O, and equal inputs and seeds give equal results.
package audit
