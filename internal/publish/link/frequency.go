// SPDX-License-Identifier: Apache-2.0

package link

import (
	"math"
	"slices"
)

// frequencies adjust the weight of the values of a field: equal rare names say more than equal
// common ones. All are nil for a kind of nearly unique values, where frequencies show chance.
type frequencies struct {
	equal  []float64 // u of two equal values, by value
	factor []float64 // of u of two similar values, by value
	weight []float64 // of two equal values, by value, in bits; never nil

	average float64 // the probability that two records have equal values, by chance
}

// nearlyUnique is the expected u of a kind below which its values are nearly unique.
const nearlyUnique = 1e-4

// A value of a nearly unique kind is a placeholder if more than manyRecords records have it,
// and manyTimes as many as the average value: the telephone of a ward, the birth date
// of an unknown person.
const manyRecords, manyTimes = 25, 20

// removePlaceholders makes placeholders of a field missing.
func (e *engine) removePlaceholders(f int) {
	c := &e.columns[f]
	if expectedOf[c.kind].u >= nearlyUnique || len(c.values) < 2 {
		return
	}
	limit := manyRecords + manyTimes*float64(c.filled)/float64(len(c.values)-1)
	if float64(slices.Max(c.counts)) <= limit {
		return
	}
	c.filled = 0
	c.lists = slices.Clone(c.lists)
	for p := range uint32(e.n) {
		cell := &e.row(p)[f]
		if *cell = c.without(*cell, limit); *cell != 0 {
			c.filled++
		}
	}
}

// without is a cell without the values that more records have than the limit.
func (c *engineColumn) without(cell uint32, limit float64) uint32 {
	var space [1]uint32
	var kept []uint32
	for _, v := range c.list(cell, &space) {
		if float64(c.counts[v]) <= limit {
			kept = append(kept, v)
		}
	}
	switch {
	case len(kept) == 0:
		return 0
	case len(kept) == 1:
		return kept[0]
	}
	c.lists[cell&^severalBit] = kept
	return cell
}

// weigh prepares the weights of levels and values from the trained model.
func (e *engine) weigh() {
	e.levelWeights, e.frequencies = make([][]float64, len(e.fields)), make([]frequencies, len(e.fields))
	e.levelBounds = make([][]float64, len(e.fields))
	for f := range e.fields {
		m, u := &e.model.m[f], &e.model.u[f]
		for l := range e.shape.levels[f] {
			ratio, keep := m[l]/u[l], e.model.keep[f]
			e.levelWeights[f] = append(e.levelWeights[f], math.Log2(ratio))
			e.levelBounds[f] = append(e.levelBounds[f], math.Log2(max(ratio, keep*ratio+1-keep)))
		}
		q := e.frequenciesOf(f)
		q.weight = make([]float64, len(e.columns[f].values))
		for v := range q.weight {
			q.weight[v] = e.levelWeights[f][0]
			if q.equal != nil {
				q.weight[v] = math.Log2(m[0] / q.equal[v])
			}
		}
		e.frequencies[f] = q
	}
}

// frequenciesOf estimates u of each value v from its count among n records:
//
//	u(v) = (count(v) − 1 − duplicates·m + ½) / n
//
// A record of v meets v again in its own duplicates; what remains is chance.
func (e *engine) frequenciesOf(f int) (q frequencies) {
	c, p := &e.columns[f], e.model
	if expectedOf[c.kind].u < nearlyUnique || !c.kind.TermFrequency() {
		return q
	}
	n := float64(max(c.filled, 1))
	duplicates := e.prior * e.pairs * 2 / float64(max(e.n, 1)) * p.m[f][0]
	q.equal, q.factor = make([]float64, len(c.values)), make([]float64, len(c.values))
	var records, squares int // of the counts above 1 + duplicates; integers add up alike in any order
	for v, count := range c.counts {
		others := max(float64(count)-1-duplicates, 0)
		if others > 0 {
			records += int(count)
			squares += int(count) * int(count)
		}
		q.equal[v] = min((others+.5)/n, .9)
		q.factor[v] = similarFactor(q.equal[v] / p.u[f][0])
	}
	q.average = max((float64(squares)-(1+duplicates)*float64(records))/n/n, 1/n/n)
	return q
}

// similarFactor is that of u for two similar values. A rare value is often a misspelling of a
// more frequent one, so the root of the ratio moderates its weight.
func similarFactor(ratio float64) float64 { return math.Sqrt(min(max(ratio, 1./16), 16)) }

// chance is u of two values at a level, or 0 if it is that of the model. A cell of several
// values has the average.
func (q *frequencies) chance(a, b uint32, level int, average float64) float64 {
	switch {
	case (a|b)&severalBit != 0 || q.equal == nil:
		return 0
	case level > 0:
		return average * max(q.factor[a], q.factor[b])
	case a == b:
		return q.equal[a]
	}
	return 0
}
