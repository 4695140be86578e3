// SPDX-License-Identifier: Apache-2.0

package link

import "math"

// frequencies adjust the weight of the values of a field: equal rare names say more than equal
// common ones.
type frequencies struct {
	equal  []float64 // u of two equal values, by value; 0 if it is the average
	weight []float64 // of two equal values, by value, in bits
	factor []float64 // of u of two similar values, by value; nil if it is 1

	average float64 // the probability that two records have equal values, by chance
}

// nearlyUnique is the expected u of a kind below which its values are not weighted: what they
// show of frequency is chance. There only a value that very many records have says less.
const nearlyUnique = 1e-4

// manyRecords is how many more records than expected share a value that says little: a
// placeholder, the telephone of a ward.
const manyRecords = 25

// weigh prepares the weights of levels and values from the trained model.
func (e *engine) weigh() {
	e.levelWeights, e.frequencies = make([][]float64, len(e.fields)), make([]frequencies, len(e.fields))
	for f := range e.fields {
		m, u := &e.model.m[f], &e.model.u[f]
		for l := range e.shape.levels[f] {
			e.levelWeights[f] = append(e.levelWeights[f], math.Log2(m[l]/u[l]))
		}
		q := e.frequenciesOf(f)
		q.weight = make([]float64, len(q.equal))
		for v, chance := range q.equal {
			if chance == 0 {
				chance = u[0]
			}
			q.weight[v] = math.Log2(m[0] / chance)
		}
		e.frequencies[f] = q
	}
}

// frequenciesOf estimates u of each value v from its count among n records:
//
//	u(v) = (count(v) − 1 − duplicates·m + ½) / n
//
// A record of v meets v again in its own duplicates; what remains is chance.
func (e *engine) frequenciesOf(f int) frequencies {
	c, p := &e.columns[f], e.model
	n := float64(max(c.filled, 1))
	duplicates := e.prior * e.allPairs() * 2 / float64(max(e.n, 1)) * p.m[f][0]
	q := frequencies{equal: make([]float64, len(c.values))}
	unique := expectedOf[c.kind].u < nearlyUnique
	if !unique {
		q.factor = make([]float64, len(c.values))
	}
	for v, count := range c.counts {
		others := max(float64(count)-1-duplicates, 0)
		q.average += others / n * float64(count) / n
		switch {
		case !unique:
			q.equal[v] = min((others+.5)/n, .9)
			q.factor[v] = similarFactor(q.equal[v] / p.u[f][0])
		case others > manyRecords && others/n > p.u[f][0]:
			q.equal[v] = min(others/n, .9)
		}
	}
	q.average = max(q.average, 1/n/n)
	return q
}

// similarFactor is that of u for two similar values. A rare value is often a misspelling of a
// more frequent one, so the root of the ratio moderates its weight.
func similarFactor(ratio float64) float64 { return math.Sqrt(min(max(ratio, 1./16), 16)) }

// chance is u of two values at a level, or 0 if it is that of the model. A cell of several
// values has the average.
func (q *frequencies) chance(a, b uint32, level int, average float64) float64 {
	switch {
	case (a|b)&severalBit != 0:
		return 0
	case level > 0 && q.factor != nil:
		return average * max(q.factor[a], q.factor[b])
	case level == 0 && a == b:
		return q.equal[a]
	}
	return 0
}
