// SPDX-License-Identifier: Apache-2.0

// Package attack looks for what a publication left, as an adversary of tkde
// section 3 would, on exactly what would be published.
//
//	results, err := attack.Run(ctx, views, attack.Params{Learners: class}, nil)
//	found := results[0].Points[0].Found // sensitive tokens among the first Budget she looks at
//
// She orders the published tokens and inspects the first B of them. A [Result]
// has the expected number of sensitive tokens among those, of documents and of
// groups (patients) with at least one, for each B. An order may leave tokens
// equal; she takes equals in a random order, and every expectation over it is
// exact. With L what a token is worth to her, U_A is L times what [Uniform] finds
// and U_A* is L times what [Classifier] finds.
//
// Attackers that learn label a share of the published documents, groups kept
// whole, and attack others; this is rotated so that every document is attacked
// once. They read [annotate.Placeholder] where the publisher redacted, and see the
// annotation of the documents that they label and of no others.
//
// [Dictionary] learns nothing: it knows lists and patterns. [Repeat] knows surfaces
// that were redacted; [Redacted] gives the worst case, all of them.
//
// # Caveats
//
// Where an attacker has several learners, the one that does best counts, which she
// could not know: the figures are limits, not forecasts. What she finds in the
// documents that she labels herself is not counted, nor what she finds in documents
// that annotators chose for what they hold.
//
// A [Panel] attacks several publications of the same documents.
package attack
