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
	address []step  // the same for the fields of addresses
	bonus   float64 // the most that an address can add
	kin     float64 // the most that families can add
}

// A step is a field whose levels can show early that a pair is below the floor.
type step struct {
	field int
	most  float64 // the largest weight of unequal values
	twin  bool    // values may be exchanged with another field: its own level is not a bound
}

// newScorer makes a scorer that need not find weights below floor.
func (e *engine) newScorer(floor float64) *scorer {
	s := &scorer{comparator: e.newComparator(), floor: floor, bonus: e.mostOfAddress(), kin: e.mostOfKin()}
	for f, r := range e.shape.roles {
		step := e.stepOf(f)
		if r == locality || r == dwelling {
			s.address = append(s.address, step)
		} else {
			s.steps = append(s.steps, step)
		}
	}
	// First the fields whose disagreement costs most.
	byCost := func(a, b step) int {
		return cmp.Or(cmp.Compare(e.least(a.field), e.least(b.field)), cmp.Compare(a.field, b.field))
	}
	slices.SortFunc(s.steps, byCost)
	slices.SortFunc(s.address, byCost)
	return s
}

// stepOf finds the largest weight of unequal values. Values that are exchanged may be equal.
func (e *engine) stepOf(f int) step {
	s := step{field: f, most: slices.Max(e.levelWeights[f][1:])}
	if e.frequencies[f].factor != nil {
		s.most += 2 // of a rare value, see similarFactor
	}
	for _, t := range e.shape.twins {
		if t[0] == f || t[1] == f {
			s.twin = true
			s.most = max(s.most, slices.Max(e.frequencies[f].weight))
		}
	}
	return s
}

func (e *engine) least(f int) float64 { return e.levelWeights[f][e.shape.ownLevels(f)-1] }

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

// mostOfKin bounds what families add: 1/(1-share) for each field of theirs, because
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

// score is the levels and the weight of a pair. It is not ok if the weight is below the floor;
// the levels are then not complete.
func (s *scorer) score(i, j uint32) (of pattern, weight float64, ok bool) {
	of, bound := s.quick(i, j)
	if bound+s.bonus < s.floor {
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
		if !step.twin {
			bound += s.atMost(f, level, cells[i], cells[j]) - step.most
		}
		if bound+s.bonus < s.floor {
			return of, 0, false
		}
	}
	of, ok = s.compareAddress(of, bound, i, j)
	if !ok {
		return of, 0, false
	}
	of = s.exchange(of, i, j)
	weight = s.weigh(of, i, j)
	return of, weight, weight >= s.floor
}

// compareAddress adds the levels of an address. bound is that of the other fields. It is not ok
// if the weight is below the floor.
func (s *scorer) compareAddress(of pattern, bound float64, i, j uint32) (pattern, bool) {
	local, home := 0., 0. // bounds of the weights of the parts of a locality, and of a dwelling
	add := func(f int, bits float64) {
		if home += bits; s.shape.roles[f] == locality {
			local += bits
		}
	}
	for _, step := range s.address {
		cells := s.columns[step.field].cells
		a, b := cells[i], cells[j]
		switch {
		case a == 0 || b == 0:
			if step.twin {
				add(step.field, step.most)
			}
		case a == b:
			of = of.with(step.field, 0)
			add(step.field, s.equalWeight(step.field, a))
		default:
			of = of.with(step.field, unknown)
			add(step.field, step.most)
		}
	}
	for _, step := range s.address {
		f := step.field
		if of.level(f) != unknown {
			continue
		}
		if bound+s.hidden(local, home) < s.floor {
			return of, false
		}
		cells := s.columns[f].cells
		level := s.cellLevel(f, f, cells[i], cells[j])
		of = of.with(f, level)
		if !step.twin {
			add(f, s.atMost(f, level, cells[i], cells[j])-step.most)
		}
	}
	return of, bound+s.hidden(local, home) >= s.floor
}

// hidden bounds what an address adds, from bounds of log2(m/u) of its parts:
//
//	Σ match[s]·2^parts(s) / Σ other[s]·2^parts(s)
//
// The sum below leaves out the pairs of one locality, whose probability depends on the locality.
func (s *scorer) hidden(local, home float64) float64 {
	m, u := &s.model.match, &s.model.other
	home = math.Exp2(min(home, 500))
	return math.Log2((m[0] + m[1]*math.Exp2(min(local, 500)) + m[2]*home) / (u[0] + u[3] + u[2]*home))
}

// quick finds the fields that are equal or missing, which needs no comparison, and a bound of
// the weight without the address.
func (s *scorer) quick(i, j uint32) (of pattern, bound float64) {
	of, bound = allMissing, s.kin
	for _, step := range s.steps {
		f := step.field
		cells := s.columns[f].cells
		a, b := cells[i], cells[j]
		switch {
		case a == 0 || b == 0:
			if step.twin {
				bound += step.most
			}
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
