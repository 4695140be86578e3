// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"math"

	"hide/internal/publish/link/compare"
)

// expected says how often values of a kind are equal among matches and among other pairs, before
// any record is seen. With few records the estimates stay near it.
type expected struct{ m, u float64 }

var expectedOf = map[compare.Kind]expected{
	compare.Given:        {.85, .01},
	compare.Middle:       {.8, .02},
	compare.Surname:      {.85, .004},
	compare.FullName:     {.75, .0001},
	compare.BirthDate:    {.9, .00005},
	compare.BirthYear:    {.95, .015},
	compare.BirthMonth:   {.95, .085},
	compare.BirthDay:     {.95, .033},
	compare.Sex:          {.97, .5},
	compare.Identifier:   {.85, .000001},
	compare.Phone:        {.7, .000005},
	compare.Email:        {.7, .000002},
	compare.StreetNumber: {.9, .01},
	compare.Street:       {.85, .001},
	compare.Place:        {.9, .01},
	compare.Postcode:     {.9, .005},
	compare.State:        {.95, .1},
	compare.Text:         {.7, .01},
	compare.Number:       {.8, .02},
}

// strengthM and strengthU are how many pairs the expected m and u count as. Random pairs are
// many, so the expected u says little. But a level that no random pair shows keeps about its
// expected u.
const strengthM, strengthU = 20, 20

// strengthShare is the strength of the expected shares of families.
const strengthShare = 30

// expectedLevels are the probabilities of the levels of a field. The levels in between have
// two thirds of the probability of unequal values among matches. Among others each level is
// twice as likely as the one before.
func (s *shape) expectedLevels(f int, field Field) (m, u [16]float64) {
	e, known := expectedOf[field.Kind]
	if !known {
		e = expectedOf[compare.Text]
	}
	e.m = cmp.Or(field.Equal, e.m)
	own := s.ownLevels(f)
	between := own - 2
	m[0], u[0] = e.m, e.u
	for l := 1; l <= between; l++ {
		m[l] = (1 - e.m) * 2 / 3 / float64(between)
		u[l] = min(e.u*math.Exp2(float64(l)), .3/float64(between))
	}
	if f == s.given {
		m[own+exchangedLevel], u[own+exchangedLevel] = .01, e.u*e.u/4
		m[own+similarExchangedLevel], u[own+similarExchangedLevel] = .003, e.u*e.u
		m[own+halfExchangedLevel], u[own+halfExchangedLevel] = .003, e.u/8
	}
	m[own-1], u[own-1] = 1-total(m), 1-total(u)
	return m, u
}

func total(of [16]float64) float64 {
	sum := 0.
	for _, p := range of {
		sum += p
	}
	return sum
}

// startParams are the parameters before any pair is seen. Among n records about two others
// share the dwelling of each, and some relatives live elsewhere.
func (e *engine) startParams() *params {
	p := &params{fields: len(e.fields)}
	for f, field := range e.fields {
		p.roles[f], p.share[f], p.keep[f] = e.shape.roles[f], e.shape.share[f], e.shape.keep[f]
		p.m[f], p.u[f] = e.shape.expectedLevels(f, field)
		p.m[f][missing], p.u[f][missing] = 1, 1
	}
	relatives := min(2/float64(max(e.n, 1)), .1)
	p.match = e.shape.possible(states{.1, .05, .85, 0})
	p.other = e.shape.possible(states{1, .02, relatives, .2 * relatives})
	return p
}

// possible gives the states that are not possible probability 0.
func (s *shape) possible(of states) states {
	for i, possible := range s.states {
		if !possible {
			of[i] = 0
		}
	}
	return of.scaled(1 / of.sum())
}
