// SPDX-License-Identifier: Apache-2.0

// Package study measures what [greedy.Experiment] does not: learners by their
// scores alone, whatever the L/C; what more documents are worth; and whether
// estimates hold.
//
//	scores, err := study.Score(ctx, study.Folds(docs, nil, 4, 1), learner, 2)
//	f := study.NewFrontier(docs, scores, []float64{.999, .99})
//	fewer := f.Against(other) // paired by document or patient, with standard errors
//
// A [Frontier] is what a learner leaves of the sensitive tokens when a given share
// of the others is kept. Its thresholds are set on the very documents that it
// counts, so that methods are compared at equal utility; it is no forecast of a
// deployment.
//
// # Caveats
//
// Scores of several folds come from as many classifiers and are put into one
// order. The package does no I/O and keeps no clock; equal inputs and seeds give
// equal results.
package study
