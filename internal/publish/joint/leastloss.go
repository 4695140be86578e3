// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"slices"

	"hide/internal/publish/table"
)

// leastLoss cuts a class where the two sides together have the least information loss:
//
//	lambda * NCP_A + (1 - lambda) * NCP_X
//
// among the cuts that it tries: each axis at up to triedCuts places, and up to triedTerms
// terms by presence. Ties go to the smaller sum of both losses, then to the first. No cut
// increases the loss, so that each class is cut as long as k allows it.
func (c *cutter) leastLoss(people []int) (axis int, left, right []int) {
	axis = -1
	var best [2]float64
	try := func(i int, l, r []int) {
		if len(l) < c.s.K || len(r) < c.s.K {
			return
		}
		a1, x1 := c.view.lossOf(l)
		a2, x2 := c.view.lossOf(r)
		loss := [2]float64{c.s.Lambda*(a1+a2) + (1-c.s.Lambda)*(x1+x2), a1 + a2 + x1 + x2}
		if axis < 0 || slices.Compare(loss[:], best[:]) < 0 {
			axis, left, right, best = i, l, r, loss
		}
	}
	for i, a := range c.axes {
		if a.textual {
			t := c.view.types[a.text]
			for _, term := range c.view.cuttable(people, c.s.K, t.from, t.to) {
				l, r := part(people, func(p int) bool { return c.view.people[p].has(term) })
				try(i, l, r)
			}
			continue
		}
		for _, at := range cutPlaces(a, people, c.s.K) {
			l, r := part(people, func(p int) bool { return a.keys[p] <= at })
			try(i, l, r)
		}
	}
	return axis, left, right
}

// How much [leastLoss] tries.
const (
	triedCuts  = 7
	triedTerms = 8
)

// cutPlaces gives keys after which k allows a cut, spread evenly over the ranks.
func cutPlaces(a axis, people []int, k int) []float64 {
	keys := make([]float64, len(people))
	for i, p := range people {
		keys[i] = a.keys[p]
	}
	slices.Sort(keys)
	var places []float64
	for i := k; i <= len(keys)-k; i++ {
		if keys[i-1] != keys[i] {
			places = append(places, keys[i-1])
		}
	}
	if len(places) <= triedCuts {
		return places
	}
	var some []float64
	for i := range triedCuts {
		some = append(some, places[i*(len(places)-1)/(triedCuts-1)])
	}
	return some
}

// cuttable gives the terms that k persons have and k lack, most frequent first.
func (v *View) cuttable(people []int, k int, from, to int32) []int32 {
	count := v.frequencies(people, from, to)
	var terms []int32
	for i, n := range count {
		if k <= n && n <= len(people)-k {
			terms = append(terms, from+int32(i))
		}
	}
	slices.SortStableFunc(terms, func(a, b int32) int { return count[b-from] - count[a-from] })
	return terms[:min(len(terms), triedTerms)]
}

// frequencies counts how many of some persons have each term from from to before
// to.
func (v *View) frequencies(people []int, from, to int32) []int {
	count := make([]int, to-from)
	for _, p := range people {
		for _, term := range v.people[p].terms {
			if from <= term && term < to {
				count[term-from]++
			}
		}
	}
	return count
}

// lossOf is the sum over the persons of a class of NCP_A and of NCP_X.
func (v *View) lossOf(people []int) (relational, textual float64) {
	for i, c := range v.columns {
		relational += c.GeneralizeSorted(v.unionOf(i, people)).Loss
	}
	relational *= float64(len(people)) / float64(max(1, len(v.columns)))
	common := v.common(people)
	texts := len(v.Config.with(table.Text))
	stays := make([]int, texts)
	for _, term := range common {
		stays[v.terms[term].Text]++
	}
	all := make([]int, texts)
	for _, who := range people {
		clear(all)
		for _, term := range v.people[who].terms {
			all[v.terms[term].Text]++
		}
		for x, n := range all {
			if n > 0 {
				textual += float64(n-stays[x]) / float64(n) / float64(texts)
			}
		}
	}
	return relational, textual
}

// unionOf is the sorted distinct values of some persons in a column, or only the least and
// the greatest of a column that is generalized to a range.
func (v *View) unionOf(column int, people []int) []int32 {
	c, cells := v.columns[column], v.cells[column]
	if c.Tree == nil && c.Kind != table.Nominal {
		lo, hi := cells[people[0]][0], cells[people[0]][0]
		for _, who := range people {
			lo, hi = min(lo, cells[who][0]), max(hi, cells[who][len(cells[who])-1])
		}
		return []int32{lo, hi}
	}
	var union []int32
	for _, who := range people {
		union = append(union, cells[who]...)
	}
	slices.Sort(union)
	return slices.Compact(union)
}
