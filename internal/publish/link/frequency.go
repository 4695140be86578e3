// SPDX-License-Identifier: Apache-2.0

package link

import "math"

// frequencies adjust the weight of a value: equal rare names say more than equal common ones.
type frequencies struct {
	used   bool      // rare values say more; common ones say less in every kind
	equal  []float64 // u of two equal values, by value; 0 if it is the average
	factor []float64 // of u of two similar values, by value; 1 if it is the average
}

// commonTimes is how many times more frequent than expected a value must be before its
// agreement says less, in a kind whose values are otherwise not weighted.
const commonTimes = 20

// frequenciesOf estimates u of each value v from its count among n records:
//
//	u(v) = (count(v) − 1 − duplicates·m + ½) / n
//
// A record of v meets v again in its own duplicates; what remains is chance. A similar value is
// often a misspelling of a more frequent one; the root of the ratio moderates its weight.
func (e *engine) frequenciesOf(f int) frequencies {
	c, p := &e.columns[f], e.model
	n := float64(max(c.filled, 1))
	average := p.u[f][0]
	own := e.prior * e.allPairs() * 2 / float64(max(e.n, 1)) * p.m[f][0]
	q := frequencies{used: c.kind.TermFrequency(), equal: make([]float64, len(c.values)), factor: make([]float64, len(c.values))}
	for v, count := range c.counts {
		u := (max(float64(count)-1-own, 0) + .5) / n
		q.factor[v] = 1
		if q.used {
			q.equal[v] = min(u, .9)
			q.factor[v] = math.Sqrt(min(max(u/average, 1./16), 16))
		} else if u > commonTimes*average {
			q.equal[v] = min(u, .9)
		}
	}
	return q
}

// chance is u of two values at a level, or 0 if it is that of the model. A cell of several
// values has the average.
func (q *frequencies) chance(a, b uint32, level int, average float64) float64 {
	if (a|b)&severalBit != 0 {
		return 0
	}
	if level == 0 {
		if a == b {
			return q.equal[a]
		}
		return 0
	}
	return average * max(q.factor[a], q.factor[b])
}
