// SPDX-License-Identifier: Apache-2.0

// Package trade measures what sampling trades between precision and recall: the
// curve that a learner moves along when it sees fewer of the words that are not
// sensitive (dissertation, section 4.5).
//
//	line, err := trade.ParseLine("o=.5,.2,.1", 1)
//	curves, err := trade.Measure(ctx, notes, []trade.Line{line}, trade.Options{Folds: 5, Seed: 1})
//
// A [Marker] is any other learner, which tells no labels from each other.
//
// Every setting is cross-validated on the same folds, each once, however many
// curves pass through it. The first of each curve leaves nothing out.
package trade
