// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"math"
	"slices"
)

// ranked is one token that would be published, in an attacker's order.
type ranked struct {
	score     float64
	group     int32
	sensitive bool
}

// rank sorts the tokens that masks leave by score, highest first; equal scores
// stay in order of document and token. group is per document.
func rank(docs []Doc, masks [][]bool, scores [][]float64, group []int) []ranked {
	var out []ranked
	for i := range docs {
		v := View{&docs[i], masks[i]}
		for x := range v.Words {
			if !v.Hidden(x) {
				out = append(out, ranked{scores[i][x], int32(group[i]), v.Sensitive[x]})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return out
}

// found is how many sensitive tokens are among the budget best, when each token
// counts as often as its group was drawn.
func found(order []ranked, budget int, drawn []float64) float64 {
	left, n := float64(budget), 0.0
	for _, r := range order {
		if left <= 0 {
			break
		}
		take := min(drawn[r.group], left)
		left -= take
		if r.sensitive {
			n += take
		}
	}
	return n
}

// cut is a threshold on a ranking and what it marks.
type cut struct {
	threshold float64 // marks scores >= threshold
	counts    Counts
	gain      float64 // L*TP - C*FP with C = 1
}

// bestCut returns the prefix of the order, never ending between equal scores,
// that maximises L*TP - C*FP; the shortest such prefix. A cut with gain 0 marks
// nothing: no threshold has C*FP < L*TP.
func bestCut(order []ranked, lc float64) cut {
	best, tp, fp := cut{threshold: math.Inf(1)}, 0, 0
	for i, r := range order {
		if r.sensitive {
			tp++
		} else {
			fp++
		}
		if i+1 < len(order) && order[i+1].score == r.score {
			continue
		}
		if gain := lc*float64(tp) - float64(fp); gain > best.gain {
			best = cut{r.score, Counts{TP: tp, FP: fp}, gain}
		}
	}
	return best.complete(tp, fp)
}

// complete fills in what the cut does not mark of the tp sensitive and fp other
// tokens ranked.
func (c cut) complete(tp, fp int) cut {
	c.counts.FN, c.counts.TN = tp-c.counts.TP, fp-c.counts.FP
	return c
}

// cutAt is the cut at a given threshold.
func cutAt(order []ranked, threshold float64) cut {
	out, tp, fp := cut{threshold: threshold}, 0, 0
	for _, r := range order {
		if r.sensitive {
			tp++
		} else {
			fp++
		}
		if r.score >= threshold {
			out.counts.TP, out.counts.FP = tp, fp
		}
	}
	return out.complete(tp, fp)
}
