// SPDX-License-Identifier: Apache-2.0

// Package drift compares the documents behind an estimate with the documents to be
// published, and warns when they differ: estimates hold for documents of the same kind
// only, and no interval shows that these are of another kind.
//
//	scorer, err := drift.NewScorer(ctx, notes)
//	reference = append(reference, scorer.Profile(&note)) // and target likewise
//	report, err := drift.Compare(ctx, reference, target, seed)
//	if report.Warns() { ... }
//
// # What is compared?
//
// Seven things, document by document: the doubt in the text kept (sum of P(sensitive)
// over the tokens kept), the share of tokens kept, the share of words and of line heads
// that no other reference document has, the length, and how documents divide into types
// and sources. Each has a statistic and a p-value from exchanging patients between the
// two sides (for a patient on both sides, the documents), corrected for the number of
// tests. Where documents name a source, such as an institution, each source is also
// compared by itself.
//
// # Caveats
//
// Scores must be comparable on both sides: a model scores its own training documents
// better than others. So models that did not see a document score it, on both sides. No
// warning is no proof: few documents show only great differences.
//
// The package is pure: it does no I/O, and equal inputs and seeds give equal reports.
package drift
