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
// Resampling cannot show a group unlike all those that are there. There may be
// none97/n of them, the exact Poisson bound of a count of 0 among n groups, and misses
// clump, so that everything may be missed in each: the interval begins at 1 - none97/n
// at most, and ends at none97/n at least. That goes for any number of misses, so that
// more of them never raise its beginning.
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
	e.Low, e.High = min(e.Low, 1-never), max(e.High, never)
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
