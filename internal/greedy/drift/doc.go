// SPDX-License-Identifier: Apache-2.0

// Package drift compares the documents that estimates were made from with those
// to be published, and rings when they are not alike: estimates hold for further
// documents of the same kind only, and no interval shows that these are of
// another.
//
//	reference = append(reference, drift.Describe(doc, scores, redacted)) // scores of a model that did not see doc
//	target = append(target, drift.Describe(other, scores, redacted))     // of the same kind of model
//	report, err := drift.Compare(ctx, reference, target, seed)
//	if report.Rings() { ... }
//
// Seven things are compared, document by document: the doubt in what is kept (sum
// of P(sensitive) over the tokens kept), the share of tokens kept, the share of
// words and of line heads that no other reference document has, the length, and
// how documents divide into kinds and sources. Each has a statistic and a p-value
// from exchanging patients between the two sides (of a patient on both, the
// documents), corrected for the number of tests. Where documents carry a source, such as an institution, the same is done
// for each source by itself.
//
// # Caveats
//
// Scores must be alike on both sides: a model knows the documents that it learnt
// from, so scores of reference documents come from models of the other folds, and
// those of the target from such models too. Silence is no proof: few documents
// show only great differences.
//
// The package is pure: it does no I/O, and equal inputs and seeds give equal
// reports.
package drift
