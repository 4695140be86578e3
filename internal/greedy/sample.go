// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// Sampling says what training sees of its documents; the CRF's own learners have the
// same.
type Sampling = crf.Sampling

// Sample is the views with what a sampling leaves out of training in
// [View.Skip], beside what they leave out already (dissertation, section 4.5;
// [Sampling] has the rule). Costs are those of the categories of tokens, though
// learners tell only sensitive from other ones. Every learner that has a sampling
// trains on what Sample gives: that is all that sampling is.
//
// No kind is sampled away: where no sensitive token would stay, or no other one, all
// of that kind that were there before stay. Numbers are drawn by what a view reads,
// so that a round that redacts more of a document draws anew for it.
func Sample(views []View, s Sampling) []View {
	if s.Everything() {
		return views
	}
	out := slices.Clone(views)
	for i, v := range views {
		out[i].Skip = s.Skips(v.sampled())
	}
	left, other := taught(out)
	if left > 0 && other > 0 {
		return out
	}
	for i, v := range views {
		for x := range v.Words {
			if !v.Hidden(x) && (v.Left(x) && left == 0 || !v.Left(x) && other == 0) {
				out[i].Skip[x] = v.Skipped(x)
			}
		}
	}
	return out
}

// sampled is what a sampling decides by: the words, and the categories of those that
// are to be found.
func (v View) sampled() crf.Doc {
	d := crf.Doc{Words: make([]string, len(v.Words)), Skip: v.Skip}
	for x := range v.Words {
		d.Words[x] = v.Word(x)
	}
	d.Labels, d.Begins = v.spansLeft(func(x int) annotate.Label { return cmp.Or(v.label(x), crf.Folded) })
	return d
}

// taught counts the tokens that training sees: those to be found, and the others.
func taught(views []View) (left, other int) {
	for _, v := range views {
		for x := range v.Words {
			switch {
			case !v.Taught(x):
			case v.Left(x):
				left++
			default:
				other++
			}
		}
	}
	return left, other
}
