// SPDX-License-Identifier: Apache-2.0

// Package study compares learners by their scores, measures what more documents are
// worth, and checks whether estimates hold.
//
//	scores, err := study.Score(ctx, study.Folds(docs, nil, 4, 1), learner, 2)
//	f := study.NewFrontier(docs, scores, []float64{.999, .99})
//	fewer := f.Against(other) // paired by document or patient, with standard errors
//
// A [Frontier] is the number of sensitive tokens that a learner misses when a given
// share of the other tokens is kept. Its thresholds are set on the documents that it
// counts, so methods are compared at equal utility; it is not a forecast.
//
// # Caveats
//
// Scores of several folds come from as many classifiers and are put into one order. The
// package does no I/O and reads no clock; equal inputs and seeds give equal results.
package study
