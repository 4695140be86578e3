// SPDX-License-Identifier: Apache-2.0

// Package linear marks sensitive tokens one by one, from left to right, with a linear
// support vector machine: the second hypothesis class of tkde section 5.
//
//	h, err := linear.SVM{}.Train(ctx, views)
//	p := h.Scores(view) // P(sensitive) of each token
//
// A token is described by its word, affixes, shape, neighbours, and the labels of the
// two tokens before it. Training reads these labels from the annotation; a trained
// machine reads its own labels. The papers add parts of speech, which would need a tagger
// and tie the learner to a language; all their other features are here.
//
// [Solve] is the machine for any sparse problem: dual coordinate descent (Hsieh, Chang,
// Lin, Keerthi and Sundararajan, ICML 2008), with the hinge or the squared hinge and a
// cost for each row. [FitSigmoid] turns margins into probabilities (Platt 1999); [SVM]
// fits it to margins of held-out documents.
//
// A trained machine keeps 64-bit hashes of words. The package does no I/O; equal inputs
// and seeds give equal results for any GOMAXPROCS, and trained machines are safe for
// concurrent use.
package linear
