// SPDX-License-Identifier: Apache-2.0

// Package classes gives words a class of words that are used alike: names of cities, verbs
// of saying, given names. A tagger that has seen a few words of a class in training knows
// something of all the others (Brown et al. 1992; Turian, Ratinov and Bengio 2010).
//
//	t := classes.Builtin()                        // English
//	t, err := classes.Learn(ctx, texts, options)  // from any notes, annotated or not
//	code := t.Code("london")                      // "0110100110", or "" for an unknown word
//
// # What is a code?
//
// The classes are the leaves of a binary tree, and a code is the way from the root to a
// leaf. Words whose codes begin with the same bits are in the same part of the tree: the
// first four bits separate coarse classes, and all bits the finest ones. A user's table
// may have other codes, which have no parts ([Table.Tree]).
//
// # Where do classes come from?
//
// Those of the program are clusters of published word vectors (command tools/wordclasses).
// [Learn] makes vectors from the neighbours of each word, and clusters them in the same way.
//
// # Caveats
//
// A learnt table holds words of the notes it was learnt from: it is PHI. No error and no
// printed value of this package holds a word.
package classes
