// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
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
	twin  bool // values may be exchanged with another field: its own level is not a bound

	unequal, any most // of unequal values, and of all
}

// most is a largest weight, in bits and as m/u.
type most struct{ weight, ratio float64 }

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

// score is the levels and the weight of a pair. It is not ok if the weight is below the floor;
// the levels are then not complete.
func (s *scorer) score(i, j uint32) (of pattern, weight float64, ok bool) {
	a, b := s.row(i), s.row(j)
	of, bound := s.quick(a, b)
	if bound+s.bonus < s.floor {
		return of, 0, false
	}
	for _, step := range s.steps {
		f := step.field
		if of.level(f) != unknown {
			continue
		}
		level := s.cellLevel(f, f, a[f], b[f])
		of = of.with(f, level)
		if !step.twin {
			bound += s.atMost(f, level, a[f], b[f]) - step.most(a[f], b[f]).weight
		}
		if bound+s.bonus < s.floor {
			return of, 0, false
		}
	}
	of, ok = s.compareAddress(of, bound, a, b)
	if !ok {
		return of, 0, false
	}
	of = s.exchange(of, i, j)
	weight = s.weigh(of, a, b)
	return of, weight, weight >= s.floor
}

// weigh is the weight of a pair with the frequencies of its values.
func (s *scorer) weigh(of pattern, a, b []uint32) float64 {
	values := s.chancesOf(of, a, b)
	return s.model.weight(of, &values)
}

// chancesOf are the chances of the values of a pair. Of several parts of one locality, the most
// specific counts.
func (s *scorer) chancesOf(of pattern, a, b []uint32) (values chances) {
	specific := 1.
	for f := range s.fields {
		level := of.level(f)
		if level >= s.shape.ownLevels(f)-1 {
			continue
		}
		chance := s.frequencies[f].chance(a[f], b[f], level, s.model.u[f][level])
		if s.shape.roles[f] != locality {
			values.u[f] = chance
		} else if average := s.frequencies[f].average; level == 0 && chance > 0 && average < specific {
			specific, values.locality = average, chance/average
		}
	}
	return values
}
