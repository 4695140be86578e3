// SPDX-License-Identifier: Apache-2.0

// Package joint anonymizes tables and the texts that belong to them together, as
// rx-anon does (Singhofer, Garifullina, Kern, Scherp, DocEng 2021), without the
// defects of its program.
//
// A [View] is the person-centric view D* of rows of which several may be of one
// person: sets of values, and the set X' of sensitive terms that their texts hold
// and their attributes do not. [View.Partition] puts persons into classes of at
// least k, [View.Recode] makes those of a class alike, and [Recoding.Rewrite]
// carries that into the texts:
//
//	v, err := joint.NewView(ctx, config, rows)
//	p, err := v.Partition(ctx, joint.Settings{K: 5, Lambda: 0.4})
//	r, err := v.Recode(ctx, p)
//	text, places := r.Rewrite(row, 0, class)
//
// Lambda weighs what is lost: near 1 the attributes are kept more exact, near 0
// the terms. [View.Sweep] tries many. [Recoding.Loss] is the normalized certainty
// penalty of both.
//
// Where the program that the authors published differs from this package,
// [Settings.Published], [View.PublishedGDF] and [Recoding.PublishedLoss] do as it
// does, to compare with; never to release.
//
// # Caveats
//
// Only terms that are given are protected: what a tagger overlooks stays in the
// text. A class is alike in attributes and sets of terms. How many notes a person
// has, how often a kept term stands in them, and their prose are as they were;
// [Report] counts where persons of a class differ in that.
//
// Nothing here is formal anonymity: k-anonymity is a weak guarantee, for
// recipients under agreement.
package joint
