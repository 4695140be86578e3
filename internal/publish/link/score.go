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
	floor   float64 // a pair of a lower weight is not needed
	steps   []step
	address []int   // the fields of addresses
	bonus   float64 // the most that the hidden state can add
}

// A step is a field whose levels can show early that a pair is below the floor.
type step struct {
	field int
	most  float64 // the largest weight of unequal values
}

// newScorer makes a scorer that need not find weights below floor.
func (e *engine) newScorer(floor float64) *scorer {
	s := &scorer{comparator: e.newComparator(), floor: floor, bonus: e.mostHidden()}
	for f, r := range e.shape.roles {
		if r == locality || r == dwelling {
			s.address = append(s.address, f)
		} else {
			s.steps = append(s.steps, step{field: f, most: e.mostUnequal(f)})
		}
	}
	// First the fields whose disagreement costs most.
	slices.SortFunc(s.steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(e.least(a.field), e.least(b.field)), cmp.Compare(a.field, b.field))
	})
	return s
}

// mostUnequal is the largest weight of a level but the first.
func (e *engine) mostUnequal(f int) float64 {
	most := math.Inf(-1)
	for l := 1; l < len(e.shape.levels[f]); l++ {
		most = max(most, e.levelWeights[f][l])
	}
	if e.frequencies[f].factor != nil {
		most += 2 // of a rare value, see similarFactor
	}
	return most
}

func (e *engine) least(f int) float64 { return e.levelWeights[f][e.shape.ownLevels(f)-1] }

// mostHidden bounds what the hidden state adds to the weights of the fields that are not of an
// address. The states of an address add at most the largest of match[s]/other[s]. A field of
// families adds at most 1/(1-share), because share·m + (1-share)·u is not below (1-share)·u.
func (e *engine) mostHidden() float64 {
	most := math.Inf(-1)
	for s, possible := range e.shape.states {
		if possible && e.model.match[s] > 0 {
			most = max(most, math.Log2(e.model.match[s]/e.model.other[s]))
		}
	}
	for f, r := range e.shape.roles {
		if r == family {
			most -= math.Log2(1 - e.model.share[f])
		}
	}
	return most
}

// score is the levels and the weight of a pair. It is not ok if the weight is below the floor;
// the levels are then not complete.
func (s *scorer) score(i, j uint32) (of pattern, weight float64, ok bool) {
	of, bound := s.quick(i, j)
	if bound < s.floor {
		return of, 0, false
	}
	for _, step := range s.steps {
		f := step.field
		if of.level(f) != unknown {
			continue
		}
		cells := s.columns[f].cells
		level := s.cellLevel(f, f, cells[i], cells[j])
		of = of.with(f, level)
		if bound += s.atMost(f, level, cells[i], cells[j]) - step.most; bound < s.floor {
			return of, 0, false
		}
	}
	for _, f := range s.address {
		of = of.with(f, s.level(f, i, j))
	}
	of = s.exchange(of, i, j)
	weight = s.weigh(of, i, j)
	return of, weight, weight >= s.floor
}

// quick finds the fields that are equal or missing, which needs no comparison, and a bound of
// the weight.
func (s *scorer) quick(i, j uint32) (of pattern, bound float64) {
	of, bound = allMissing, s.bonus
	for _, step := range s.steps {
		f := step.field
		cells := s.columns[f].cells
		a, b := cells[i], cells[j]
		switch {
		case a == 0 || b == 0:
		case a == b:
			of = of.with(f, 0)
			bound += s.equalWeight(f, a)
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
	weight := s.levelWeights[f][level]
	if level > 0 && s.frequencies[f].factor != nil && (a|b)&severalBit == 0 && level < s.shape.ownLevels(f)-1 {
		weight -= math.Log2(max(s.frequencies[f].factor[a], s.frequencies[f].factor[b]))
	}
	switch {
	case s.isGood(f, level):
	case f == s.shape.given:
		weight = max(weight, slices.Max(s.levelWeights[f][s.shape.ownLevels(f):]))
	case f == s.shape.surname:
		weight = max(weight, 0)
	}
	return weight
}

// weigh is the weight of a pair with the frequencies of its values.
func (s *scorer) weigh(of pattern, i, j uint32) float64 {
	values := s.chancesOf(of, i, j)
	return s.model.weight(of, &values)
}

// chancesOf are the chances of the values of a pair. Of several parts of one locality, the most
// specific counts.
func (s *scorer) chancesOf(of pattern, i, j uint32) (values chances) {
	specific := 1.
	for f := range s.fields {
		level := of.level(f)
		if level >= s.shape.ownLevels(f)-1 {
			continue
		}
		cells := s.columns[f].cells
		chance := s.frequencies[f].chance(cells[i], cells[j], level, s.model.u[f][level])
		if s.shape.roles[f] != locality {
			values.u[f] = chance
		} else if average := s.frequencies[f].average; level == 0 && chance > 0 && average < specific {
			specific, values.locality = average, chance/average
		}
	}
	return values
}
