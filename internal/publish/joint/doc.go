// SPDX-License-Identifier: Apache-2.0

// Package joint anonymizes tables and the texts that belong to them together, as
// rx-anon does (Singhofer, Garifullina, Kern, Scherp, DocEng 2021), without the
// defects of its program.
//
// A [View] is the person-centric view D* of rows of which several may be of one
// person: sets of values, and the set X' of sensitive terms that their texts hold
// and their attributes do not. [View.Partition] puts persons into classes of at
// least k, [View.Recode] generalizes the values of a class to common ones, and
// [Recoding.Rewrite] applies that to the texts:
//
//	v, err := joint.NewView(ctx, config, rows)
//	p, err := v.Partition(ctx, joint.Settings{K: 5, Lambda: 0.4})
//	r, err := v.Recode(ctx, p)
//	text, places := r.Rewrite(row, 0, class)
//
// Lambda weighs the information loss: near 1 the attributes are kept more exactly, near 0
// the terms. [View.Sweep] tries many values. [Recoding.Loss] is the normalized certainty
// penalty of both.
//
// [Settings.Published], [View.PublishedGDF] and [Recoding.PublishedLoss] reproduce the
// authors' program where it differs, for comparison and never for a release.
//
// # Caveats
//
// Only given terms are protected: what a tagger misses stays in the text. The persons of
// a class share attributes and sets of terms. The number of their notes, how often a kept
// term occurs, and the prose are unchanged; [Report] counts the classes whose persons
// differ in that.
//
// Nothing here is formal anonymity: k-anonymity is a weak guarantee, for
// recipients under agreement.
package joint
