// SPDX-License-Identifier: Apache-2.0

// Package dense describes each token of a document by about a hundred numbers, for
// learners that split numbers rather than weigh words.
//
//	corpus, err := dense.Prepare(ctx, views, crf.NewLists(nil))
//	fitted, err := corpus.Fit(ctx, training) // indices of views
//	x, y, err := fitted.Rows(ctx)            // to train on
//	x := fitted.Columns(other)               // to score another of the views
//	x := fitted.Encoder().Columns(view)      // to score any view
//
// Most numbers are target rates: of a key that the token has, such as its word, its
// suffix or the words around it, the smoothed log-odds of being sensitive among
// the training tokens with that key. With n tokens of which s are sensitive, and a
// share q of all,
//
//	log((s + a q) / (n - s + a (1-q))),  a = 2.
//
// In a training row neither n nor s counts the tokens of the row's own fold, one of
// four that keep groups (patients, or documents) whole: a word that occurs in one
// patient's notes only looks unseen there, as the words of a new patient will.
// Rates of tokens to be scored count all training documents.
//
// The others are flags of characters, places, patterns and lists ([crf.Fact]), and
// a name-likeness: the log-odds by a logistic model over character n-grams of the
// training words, nested in the same folds.
//
// Tokens that a view hides read as [annotate.Placeholder]; they are no rows of
// training and their rates leave them out.
//
// # Caveats
//
// An encoder holds what the training notes' words are like: rates under 64-bit
// hashes of words and of pairs of words. Whoever has it can ask whether a name was
// in them, so treat it like the notes.
package dense
