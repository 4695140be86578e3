// SPDX-License-Identifier: Apache-2.0

// Package dense describes each token by about a hundred numbers, for learners such as
// decision trees.
//
//	corpus, err := dense.Prepare(ctx, views, crf.NewLists(nil))
//	fitted, err := corpus.Fit(ctx, training) // indices of views
//	x, y, err := fitted.Rows(ctx)            // to train on
//	x := fitted.Columns(other)               // to score another of the views
//	x := fitted.Encoder().Columns(view)      // to score any view
//
// # Which numbers are there?
//
// Most are target rates: the smoothed log-odds of being sensitive among the training
// tokens with the same key, such as the word, its suffix or the words around it. With n
// tokens of which s are sensitive, and a share q of all,
//
//	log((s + a q) / (n - s + a (1-q))),  a = 2.
//
// In a training row, n and s leave out the tokens of the row's own fold, one of four
// that keep patients whole: a word that occurs in one patient's notes only looks unseen
// there, as the words of a new patient will. Rates of tokens to be scored count all
// training documents.
//
// The others are flags of characters, places, patterns and lists ([crf.Fact]), and a
// name-likeness: the log-odds of a logistic model over character n-grams of the training
// words, nested in the same folds.
//
// Redacted tokens read as [annotate.Placeholder]. They are not training rows and do not
// count in rates.
//
// # Caveats
//
// An encoder holds rates under 64-bit hashes of words and pairs of words. Its owner can
// test whether a name was in the training notes: treat it as PHI.
package dense
