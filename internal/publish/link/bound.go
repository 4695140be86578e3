// SPDX-License-Identifier: Apache-2.0

package link

import (
	"math"
	"slices"
)

// stepOf finds the largest weight of unequal values. Values that are exchanged may be equal.
func (e *engine) stepOf(f int) step {
	s := step{field: f, most: slices.Max(e.levelBounds[f][1:])}
	if e.frequencies[f].factor != nil {
		s.most += 2 // of a rare value, see similarFactor
	}
	for _, t := range e.shape.twins {
		if t[0] == f || t[1] == f {
			s.twin = true
			s.most = max(s.most, slices.Max(e.frequencies[f].weight))
		}
	}
	s.mostRatio = math.Exp2(s.most)
	return s
}

func (e *engine) least(f int) float64 { return e.levelBounds[f][e.shape.ownLevels(f)-1] }

// mostOfAddress bounds what the parts of an address add: the largest of match[s]/other[s].
func (e *engine) mostOfAddress() float64 {
	most := math.Inf(-1)
	for s := range 3 {
		if e.shape.states[s] {
			most = max(most, math.Log2(e.model.match[s]/e.model.other[s]))
		}
	}
	return most
}

// mostOfKin bounds what families add: 1/(1-share) for each field of families, because
// share·m + (1-share)·u is not below (1-share)·u.
func (e *engine) mostOfKin() float64 {
	most := 0.
	for f, r := range e.shape.roles {
		if r == family {
			most -= math.Log2(1 - e.model.share[f])
		}
	}
	return most
}

// quick finds the fields that are equal or missing, which needs no comparison but for dates. It
// also gives a bound of the weight without the address.
func (s *scorer) quick(a, b []uint32) (of pattern, bound float64) {
	of, bound = allMissing, s.kin
	for _, step := range s.steps {
		f := step.field
		switch {
		case a[f] == 0 || b[f] == 0:
			if step.twin {
				bound += step.most
			}
		case a[f] == b[f] && !s.dates[f]:
			of = of.with(f, 0)
			bound += s.equalWeight(f, a[f])
		default:
			of = of.with(f, unknown)
			bound += step.most
		}
	}
	return of, bound
}

func (s *scorer) equalWeight(f int, cell uint32) float64 {
	if cell&severalBit == 0 {
		return s.frequencies[f].weight[cell]
	}
	return s.levelWeights[f][0]
}

// atMost bounds the weight of a level. Names that do not agree may agree when exchanged: the
// given name then has one of the levels for that, and the surname is missing.
func (s *scorer) atMost(f, level int, a, b uint32) float64 {
	weight := s.levelBounds[f][level]
	if level > 0 && s.frequencies[f].factor != nil && (a|b)&severalBit == 0 && level < s.shape.ownLevels(f)-1 {
		weight -= math.Log2(max(s.frequencies[f].factor[a], s.frequencies[f].factor[b]))
	}
	switch {
	case s.isGood(f, level):
	case f == s.shape.given:
		weight = max(weight, slices.Max(s.levelBounds[f][s.shape.ownLevels(f):]))
	case f == s.shape.surname:
		weight = max(weight, 0)
	}
	return weight
}
