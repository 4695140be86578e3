// SPDX-License-Identifier: Apache-2.0

package greedy

import (
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
func Sample(views []annotate.View, s Sampling) []annotate.View {
	if s.Everything() {
		return views
	}
	out := slices.Clone(views)
	for i, v := range views {
		out[i].Skip = s.Skips(v)
	}
	left, other := taught(out)
	if left > 0 && other > 0 {
		return out
	}
	for i, v := range views {
		for x := range v.Words {
			if !v.Hidden(x) && (v.Remaining(x) && left == 0 || !v.Remaining(x) && other == 0) {
				out[i].Skip[x] = v.Skipped(x)
			}
		}
	}
	return out
}

// taught counts the tokens that training sees: those to be found, and the others.
func taught(views []annotate.View) (left, other int) {
	for _, v := range views {
		for x := range v.Words {
			switch {
			case !v.InTraining(x):
			case v.Remaining(x):
				left++
			default:
				other++
			}
		}
	}
	return left, other
}
