// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"math"
	"slices"
)

// A scorer finds the weights of pairs with the trained model. Each goroutine has its own.
type scorer struct {
	*comparator
	frequencies []frequencies
	floor       float64 // a pair of a lower weight is not needed
	steps       []step
	rest        []float64 // the most that steps[i:] and the address can add
}

// A step is a field that can end the comparison of a pair early.
type step struct {
	field int
	most  float64 // the largest weight of unequal values
}

// slack is how far the likelihood of families can exceed the bound of independent fields, in bits.
const slack = 4

// newScorer makes a scorer that need not find weights below floor.
func (e *engine) newScorer(floor float64) *scorer {
	s := &scorer{comparator: e.newComparator(), frequencies: e.frequencies, floor: floor}
	for f := range e.fields {
		if r := e.shape.roles[f]; r == own || r == family {
			s.steps = append(s.steps, step{field: f, most: e.mostUnequal(f)})
		}
	}
	// First the fields whose disagreement costs most.
	slices.SortFunc(s.steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(e.least(a.field), e.least(b.field)), cmp.Compare(a.field, b.field))
	})
	return s
}

func (e *engine) levelWeight(f, level int) float64 {
	return math.Log2(e.model.m[f][level] / e.model.u[f][level])
}

// mostUnequal is the largest weight of a level but the first.
func (e *engine) mostUnequal(f int) float64 {
	most := math.Inf(-1)
	for l := 1; l < len(e.shape.levels[f]); l++ {
		most = max(most, e.levelWeight(f, l))
	}
	return max(most+2, 0) // two bits for a rare value
}

func (e *engine) least(f int) float64 {
	return e.levelWeight(f, len(e.shape.levels[f])-1)
}

// mostEqual is an upper bound of the weight of equal values.
func (s *scorer) mostEqual(f int, cell uint32) float64 {
	u := s.model.u[f][0]
	if cell&severalBit == 0 && s.frequencies[f].equal[cell] > 0 {
		u = s.frequencies[f].equal[cell]
	}
	return math.Log2(s.model.m[f][0] / u)
}

// score is the levels and the weight of a pair. It is not ok if the weight is surely below the
// floor; the levels are then not complete.
func (s *scorer) score(i, j uint32) (of pattern, weight float64, ok bool) {
	of = allMissing
	for f := range s.fields {
		of = of.with(f, s.level(f, i, j))
	}
	of = s.exchange(of, i, j)
	weight = s.weigh(of, i, j)
	return of, weight, weight >= s.floor
}

// weigh is the weight of a pair with the frequencies of its values.
func (s *scorer) weigh(of pattern, i, j uint32) float64 {
	var chances [MostFields]float64
	for f := range s.fields {
		chances[f] = s.chanceOf(of, f, i, j)
	}
	return s.model.weight(of, &chances)
}

// chanceOf is u of a field of a pair, or 0 if it is that of the model.
func (s *scorer) chanceOf(of pattern, f int, i, j uint32) float64 {
	level := of.level(f)
	weakest := len(s.shape.levels[f]) - 1
	if f == s.shape.given {
		weakest -= 2
	}
	if level >= weakest {
		return 0
	}
	cells := s.columns[f].cells
	return s.frequencies[f].chance(cells[i], cells[j], level, s.model.u[f][level])
}
