// SPDX-License-Identifier: Apache-2.0

// Package detect is the default detector of sensitive tokens: a CRF and boosted trees,
// stacked.
//
//	h, err := detect.Detector{}.Train(ctx, views)
//	p := h.Scores(view)
//
// # How are the scores made?
//
// The CRF and the trees over the columns of package dense each give every token
// log-odds. The second stage blends them by logistic regression, and boosted trees
// correct the blend. These trees read the log-odds of the token and of three tokens on
// each side; the highest, the mean and the number of those of the word's other
// occurrences in the document (and in the other documents of its group or batch, when
// these are scored together); and some flags. The second stage trains on out-of-fold
// log-odds, so probabilities are calibrated for notes like the training notes. Tokens of
// patterns that identify by themselves get a bonus. [Options.Parts] switches each part
// on and off.
//
// # Caveats
//
// A [Classifier] and its bytes hold information about the words of the training notes:
// treat them as PHI.
package detect
