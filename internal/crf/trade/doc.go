// SPDX-License-Identifier: Apache-2.0

// Package trade measures what sampling trades between precision and recall: the curve
// of a learner that trains on fewer non-sensitive words (dissertation, section 4.5).
//
//	line, err := trade.ParseLine("o=.5,.2,.1", 1)
//	curves, err := trade.Measure(ctx, notes, []trade.Line{line}, trade.Options{Folds: 5, Seed: 1})
//
// A [Marker] is a learner of another package, which does not predict labels.
//
// Every setting is cross-validated on the same folds. A setting that several curves
// share is measured once. The first setting of each curve samples nothing away.
package trade
