// SPDX-License-Identifier: Apache-2.0

// Package greedy decides what to redact by playing the attacker: it implements
// GreedySanitize (Li, Vorobeychik, Li and Malin, "An Iterative Classification
// Scheme for Sanitizing Large-Scale Datasets", IEEE TKDE; here "tkde") and
// measures what attackers would still find in what it publishes.
//
// The publisher has a set X of tokens, S of them sensitive and N not. A set H
// of classifiers redacts every token that one of them marks; P(H) is the rest,
// which is published. FN(H) sensitive tokens stay in P(H), FP(H) others are
// lost, and the publisher pays (tkde equation 4)
//
//	T(H) = L*FN(H) + C*FP(H).
//
// Only L/C matters, so C is 1 everywhere and the ratio is called lc.
// [Params.LossByLabel] gives categories losses of their own, L_c, and
// [Params.CostByKind] kinds of words prices of their own, C_k:
//
//	T(H) = sum_c L_c*FN_c(H) + sum_k C_k*FP_k(H).
//
// Lemma 1 holds for it, since both sums are over tokens, and so does theorem 1, that
// Algorithm 1 ends. Theorems 2 to 6 assume one L and one C; they hold, with looser
// bounds, for the least L_c over the greatest C_k.
//
//	notes := annotate.NewNotes(annotated)
//	result, err := greedy.Sanitize(ctx, notes, greedy.Params{LC: []float64{10}}, nil)
//	hidden := result.Choices[0].Classifiers.Redact(note)
//
// [Sanitize] chooses H for each lc, in one of six modes. [Paper] is Algorithm
// 1 as printed: h_k is trained on what h_1..h_(k-1) left of the training data,
// its hard labels are counted on that same data, and the loop stops when adding
// h_k no longer pays. Its classifiers do not depend on lc, only the stop does, so
// one run answers any lc. [Default] counts out of fold: no count comes from
// a classifier that saw the document, or another one of its group, and the loop
// goes on while some learner has C*FP < L*TP on what would be published, by some
// threshold or by its hard labels; with [Prices] a threshold on odds over C_k is
// tried as well. That stop implies the papers' local optimum
// (tkde definition 4.1); [Choice.Certificate] has each learner's best attempt. With [Params.First]
// a detector redacts in round 1 and the class attacks what it leaves. L/C prices one
// token; with [Params.Ceiling] it is raised until the ranked attacker finds no more than
// a share of all.
// [PaperHoldout] is Algorithm 1 with choice and counts out of fold. [GreedyUnion]
// trains each learner once and takes thresholds in turns, those with the fewest
// false positives per true one first. The baselines are one classifier with the
// threshold 1/(1+lc), [Cost], or with sensitive tokens that weigh lc in training,
// [CostWeight].
//
// [Experiment] publishes each document once, by classifiers that never saw it.
//
// Learners are behind [Learner]; [CRF] and [Bayes] are here, the others in the packages
// below. Package learners finds them by name. A redacted token is [Placeholder] and not
// sensitive for them, as in tkde figure 2, both in training and when [Ensemble.Redact]
// applies them.
//
// # Caveats
//
// Every interval resamples groups (documents or patients), never tokens, since
// leaks clump, and only of documents that were sampled at random ([annotate.Note].Chosen).
// None of them covers documents from another source than the annotated ones.
//
// Default mode tunes its thresholds on the folds that then give the estimate, and
// after round 1 cross-fitting is not fully nested: what a classifier trains on
// was redacted by earlier ones, some of which saw the fold it attacks. On
// generated notes the figures show no optimism from it (docs/architecture.md has
// them); [Experiment] holds documents out from everything.
//
// The package does no I/O and keeps no clock or global state;
// equal inputs and seeds give equal results for any GOMAXPROCS.
package greedy
