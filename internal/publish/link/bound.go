// SPDX-License-Identifier: Apache-2.0

package link

import (
	"math"
	"slices"
)

// stepOf finds the largest weights of a field. Values that are exchanged may be equal. A surname
// that is exchanged counts as missing, which is more than a negative weight.
func (e *engine) stepOf(f int) step {
	s := step{field: f}
	most := slices.Max(e.levelBounds[f][1:])
	if e.frequencies[f].factor != nil {
		most += 2 // of a rare value, see similarFactor
	}
	if f == e.shape.surname {
		most = max(most, 0)
	}
	all := max(most, e.levelBounds[f][0], slices.Max(e.frequencies[f].weight))
	for _, t := range e.shape.twins {
		if t[0] == f || t[1] == f {
			s.twin = true
			most = all
		}
	}
	s.unequal, s.any = mostOf(most), mostOf(all)
	return s
}

func mostOf(weight float64) most { return most{weight, math.Exp2(weight)} }

// most is the largest weight of two cells that differ and are not compared yet. Cells of several
// values may have one in common.
func (s *step) most(a, b uint32) most {
	if (a|b)&severalBit != 0 {
		return s.any
	}
	return s.unequal
}

func (e *engine) least(f int) float64 { return e.levelBounds[f][e.shape.ownLevels(f)-1] }

// mostOfAddress bounds what the parts of an address add: the largest of match[s]/other[s]. One
// locality says more if it is small.
func (e *engine) mostOfAddress() float64 {
	most := math.Inf(-1)
	for s := range 3 {
		if !e.shape.states[s] {
			continue
		}
		other := e.model.other[s]
		if s == 1 {
			other *= e.leastLocality()
		}
		most = max(most, math.Log2(e.model.match[s]/other))
	}
	return most
}

// leastLocality is the smallest of chances.locality.
func (e *engine) leastLocality() float64 {
	least := 1.
	for f, r := range e.shape.roles {
		if q := &e.frequencies[f]; r == locality && q.equal != nil {
			least = min(least, slices.Min(q.equal)/q.average)
		}
	}
	return least
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

// quick finds the fields that are equal or missing. It also gives a bound of the weight without
// the address.
func (s *scorer) quick(a, b []uint32) (of pattern, bound float64) {
	of, bound = allMissing, s.kin
	for _, step := range s.steps {
		f := step.field
		switch {
		case a[f] == 0 || b[f] == 0:
			if step.twin {
				bound += step.any.weight
			} else if f == s.shape.given {
				bound += max(s.levelBounds[f][s.shape.ownLevels(f)+halfExchangedLevel], 0)
			}
		case a[f] == b[f] && !s.dates[f]:
			of = of.with(f, 0)
			bound += s.equalWeight(f, a[f])
		case a[f] == b[f] && !step.twin: // a date, which may be partial
			level := s.cellLevel(f, f, a[f], b[f])
			of = of.with(f, level)
			bound += s.atMost(f, level, a[f], b[f])
		default:
			of = of.with(f, unknown)
			bound += step.most(a[f], b[f]).weight
		}
	}
	return of, bound
}

// equalWeight bounds the weight of two equal cells.
func (s *scorer) equalWeight(f int, cell uint32) float64 {
	if cell&severalBit == 0 && s.shape.keep[f] == 1 {
		return s.frequencies[f].weight[cell]
	}
	return s.levelBounds[f][0]
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
