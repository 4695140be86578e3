// SPDX-License-Identifier: Apache-2.0

package link

import "math"

// compareAddress adds the levels of an address. bound is that of the other fields. It is not ok
// if the weight is below the floor.
func (s *scorer) compareAddress(of pattern, bound float64, a, b []uint32) (pattern, bool) {
	if len(s.address) == 0 {
		return of, true
	}
	needed := math.Exp2(s.floor - bound)
	of, ratios := s.quickAddress(of, a, b)
	for _, step := range s.address {
		f := step.field
		if of.level(f) != unknown {
			continue
		}
		if !s.reaches(ratios, needed) {
			return of, false
		}
		level := s.cellLevel(f, f, a[f], b[f])
		of = of.with(f, level)
		if !step.twin {
			ratios.multiply(s.shape.roles[f], s.ratioAtMost(f, level)/step.most(a[f], b[f]).ratio)
		}
	}
	return of, s.reaches(ratios, needed)
}

// ratios are upper bounds of the products of m/u of the parts of a locality, and of a dwelling
// with its locality.
type ratios struct{ local, home float64 }

func (r *ratios) multiply(role role, by float64) {
	r.home *= by
	if role == locality {
		r.local *= by
	}
}

// quickAddress finds the parts of an address that are equal or missing.
func (s *scorer) quickAddress(of pattern, a, b []uint32) (pattern, ratios) {
	r := ratios{1, 1}
	for _, step := range s.address {
		f := step.field
		switch {
		case a[f] == 0 || b[f] == 0:
			if step.twin {
				r.multiply(s.shape.roles[f], step.any.ratio)
			}
		case a[f] == b[f]:
			of = of.with(f, 0)
			r.multiply(s.shape.roles[f], math.Exp2(s.equalWeight(f, a[f])))
		default:
			of = of.with(f, unknown)
			r.multiply(s.shape.roles[f], step.most(a[f], b[f]).ratio)
		}
	}
	return of, r
}

// ratioAtMost bounds m/u of a level of a part of an address. A rare value adds two bits.
func (s *scorer) ratioAtMost(f, level int) float64 {
	ratio := s.model.m[f][level] / s.model.u[f][level]
	if level > 0 && level < s.shape.ownLevels(f)-1 && s.frequencies[f].factor != nil {
		ratio *= 4
	}
	return ratio
}

// reaches reports whether an address can add as much as is needed. What it adds is at most
//
//	Σ match[s]·ratio(s) / Σ other[s]·ratio(s)
//
// The sum below leaves out the pairs of one locality, whose probability depends on the locality.
func (s *scorer) reaches(r ratios, needed float64) bool {
	m, u := &s.model.match, &s.model.other
	return m[0]+m[1]*r.local+m[2]*r.home >= needed*(u[0]+u[3]+u[2]*r.home)
}
