// SPDX-License-Identifier: Apache-2.0

package greedy

import "slices"

// reading is what an attacker reads, in order: of each token twice its group, and one
// more when it is sensitive. It is read once per resample, so a token is four bytes.
type reading []int32

func readingOf(order []ranked) reading {
	out := make(reading, len(order))
	for i, r := range order {
		if out[i] = 2 * r.group; r.sensitive {
			out[i]++
		}
	}
	return out
}

// found is how many sensitive tokens are among as many as each budget allows, best
// first, when each token counts as often as its group was drawn. Budgets ascend.
func (r reading) found(budgets []int, drawn times) []float64 {
	out, read, finds := make([]float64, 0, len(budgets)), 0, 0
	for _, token := range r {
		often, sensitive := int(drawn[token>>1]), int(token&1)
		for len(out) < len(budgets) && budgets[len(out)] <= read+often {
			out = append(out, float64(finds+sensitive*(budgets[len(out)]-read)))
		}
		if len(out) == len(budgets) {
			return out
		}
		read, finds = read+often, finds+sensitive*often
	}
	for len(out) < len(budgets) {
		out = append(out, float64(finds))
	}
	return out
}

// rankedFinds is what the ranked attacker finds with each budget, nil when there was
// no such attack: document is what the pseudo-document leaks, and sensitive how much
// there is to find.
func rankedFinds(s *resampler, order reading, budgets []int, document float64, sensitive int) map[int]Estimate {
	if order == nil {
		return nil
	}
	ascending := slices.Compact(slices.Sorted(slices.Values(budgets)))
	finds := make(map[int]Estimate, len(ascending))
	for i, d := range s.spreads(order, ascending, document) {
		b := ascending[i]
		finds[b] = d.bounded(min(b, sensitive))
	}
	return finds
}

// spreads is the spread of what is found with each budget.
func (s *resampler) spreads(r reading, budgets []int, document float64) []spread {
	out, n := make([]spread, len(budgets)), len(s.once)
	for i, v := range r.found(budgets, s.once) {
		out[i].value = v
	}
	for _, drawn := range s.drawn {
		for i, v := range r.found(budgets, drawn) {
			out[i].drawn = append(out[i].drawn, v)
		}
	}
	for _, drawn := range s.worse {
		for i, v := range r.found(budgets, drawn) {
			out[i].worse = append(out[i].worse, v+float64(drawn[n])*min(document, float64(budgets[i])))
		}
	}
	for _, d := range out {
		slices.Sort(d.drawn)
		slices.Sort(d.worse)
	}
	return out
}
