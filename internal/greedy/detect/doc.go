// SPDX-License-Identifier: Apache-2.0

// Package detect is the default detector of sensitive tokens: different learners,
// stacked.
//
//	h, err := detect.Detector{}.Train(ctx, views)
//	p := h.Scores(view)
//
// A CRF and boosted trees over the columns of package dense each give every token
// log-odds. The second stage blends them by logistic regression, and boosted trees
// correct the blend: they read the log-odds of the token and of the three tokens each
// way; the highest, the mean and the number of those of the word's other places in
// the document (and in the other documents of its group or batch, for who scores them
// together); and some flags. It learns from log-odds that are out of fold, so its
// probabilities are calibrated as far as the training documents are like those to
// be published. Tokens of patterns that identify by themselves get a bonus.
//
// [Options.Parts] switches each part on and off.
//
// # Caveats
//
// A [Classifier] and its bytes hold what the training notes' words are like: treat
// them like the notes.
package detect
