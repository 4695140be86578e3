// SPDX-License-Identifier: Apache-2.0

// Package linear marks sensitive tokens one by one, from left to right, with a
// linear support vector machine: the second hypothesis class of tkde section 5.
//
//	h, err := linear.SVM{}.Train(ctx, views)
//	p := h.Scores(view) // P(sensitive) of each token
//
// A token is described by its word, affixes, shape, neighbours, and the history:
// what the two tokens before it are. Training reads the history from the
// annotation; a trained machine reads it from its own labels of the tokens
// before. The papers add parts of speech, which no tagger of ours gives and which
// would tie the learner to a language; everything else of theirs is here.
//
// [Solve] is the machine itself, for any sparse problem: dual coordinate descent
// (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008), with the hinge or the
// squared hinge and a cost for each row. [FitSigmoid] makes margins into
// probabilities (Platt 1999), which [SVM] fits to margins of documents that the
// machine had not seen.
//
// A trained machine keeps hashes of 64 bits in place of words. The package does
// no I/O; equal inputs and seeds give equal results for any GOMAXPROCS, and
// everything trained is safe for concurrent use.
package linear
