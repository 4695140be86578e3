// SPDX-License-Identifier: Apache-2.0

package greedy

// ShareEstimate is the share sum(part)/sum(whole), such as the recall of a model,
// with its 95 % interval over resampled groups. part and whole hold counts, one
// element per group, with 0 <= part[g] <= whole[g]. ok is false when the whole
// sums to 0 or the lengths differ: there is no share then.
//
// A group with nothing in whole changes nothing. Groups are all that is
// resampled: a single one shows no variation, and its interval is its value.
//
// Resampling cannot show a miss that never happened, so where part is all of
// whole the interval begins at 1 - none97/n of n groups, the exact Poisson bound of
// a count of 0 among them; where part is 0 it ends at none97/n. Misses clump, so the
// bound is one on groups: in a group with one miss, everything may be missed.
func ShareEstimate(part, whole []float64, seed uint64) (e Estimate, ok bool) {
	if len(part) != len(whole) {
		return Estimate{}, false
	}
	part, whole = present(part, whole)
	s := newResampler(len(whole), seed, false)
	if len(whole) == 0 {
		return Estimate{}, false
	}
	e = s.ratio(part, whole)
	never := min(1, none97/float64(len(whole)))
	if e.Value >= 1 {
		e.Low = min(e.Low, 1-never)
	}
	if e.Value <= 0 {
		e.High = max(e.High, never)
	}
	return e, true
}

// present drops the groups that have nothing in whole.
func present(part, whole []float64) (p, w []float64) {
	for g, x := range whole {
		if x > 0 {
			p, w = append(p, part[g]), append(w, x)
		}
	}
	return p, w
}
