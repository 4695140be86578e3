// SPDX-License-Identifier: Apache-2.0

// Package attack simulates adversaries who read a publication, as in tkde section 3,
// on exactly the text that would be published.
//
//	results, err := attack.Run(ctx, views, attack.Params{Learners: class}, nil)
//	found := results[0].Points[0].Found // sensitive tokens among the first Budget tokens
//
// An attacker orders the published tokens and inspects the first B of them. A [Result]
// has, for each B, the expected number of sensitive tokens among them, and of documents
// and patients with at least one. Tokens with equal scores come in random order; every
// expectation over that order is exact. With L the value of a token to the attacker, U_A
// is L times the tokens that [Uniform] finds and U_A* is L times those of [Classifier].
//
// # What do attackers know?
//
// Attackers that train label a share of the published documents, whole patients at a
// time, and attack the others. The shares rotate, so that every document is attacked
// once. They read [annotate.Placeholder] for redacted tokens and see the annotation of
// the documents that they label only. [Dictionary] is not trained: it knows lists and
// patterns. [Repeat] knows redacted texts; [Redacted] gives all of them, the worst case.
//
// A [Panel] attacks several publications of the same documents.
//
// # Caveats
//
// Where an attacker has several learners, the best one counts, which a real attacker
// could not know: the figures are limits, not forecasts. Tokens in documents that the
// attacker labels do not count, nor tokens in documents that were selected for their
// content ([annotate.Note.Selected]).
package attack
