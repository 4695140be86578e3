// SPDX-License-Identifier: Apache-2.0

package link

import "math"

// A Model has the estimated probabilities.
type Model struct {
	Prior   float64 // the share of matches among all pairs
	Pairs   float64 // all pairs of records
	Matches float64 // Prior · Pairs
	Rounds  int     // of the EM algorithm
	Fields  []FieldModel
}

// A FieldModel has the levels of a field, best first.
type FieldModel struct {
	Field  Field
	Levels []LevelModel
	Filled float64 // the share of records that have a value

	// Held says that the records that agree in other fields mostly have different values, in a
	// field that people keep for life. They are not of one person, and all estimates are too good.
	Held bool
}

// A LevelModel has the probabilities of a level among matches and among pairs of two persons.
// Of a part of an address it is: among pairs of one address, and of two.
type LevelModel struct {
	Name   string
	M, U   float64
	Weight float64 // log2(M/U)
}

// params are the probabilities in the form that the loops use.
type params struct {
	fields int
	roles  [MostFields]role
	share  [MostFields]float64
	held   [MostFields]bool        // see steadied
	keep   [MostFields]float64     // the share of matches that keep the value when they move
	m, u   [MostFields][16]float64 // the level missing has probability 1
	match  states
	other  states
}

// states are probabilities of the hidden state of a pair: different localities, one locality,
// one dwelling, and relatives in different localities. The last is of two persons only. States
// that the fields cannot show are 0.
type states [4]float64

func (s states) sum() float64 { return s[0] + s[1] + s[2] + s[3] }

func (s states) scaled(by float64) states {
	return states{s[0] * by, s[1] * by, s[2] * by, s[3] * by}
}

func (s states) plus(t states) states {
	return states{s[0] + t[0], s[1] + t[1], s[2] + t[2], s[3] + t[3]}
}

// share is the share of each state, with strength pairs as expected.
func (s states) share(expected states, strength float64) states {
	s = s.plus(expected.scaled(strength))
	return s.scaled(1 / s.sum())
}

// chances are probabilities that depend on how frequent the values of a pair are.
type chances struct {
	u [MostFields]float64 // replaces u of the level of a field, if not 0
	// locality multiplies the probability that two persons have the locality of the pair in
	// common: it is larger for a city than for a village. 0 is 1.
	locality float64
}

// likelihood is the probability of a pattern among matches and among others, jointly with the
// hidden state s:
//
//	P(pattern, s | match) = match[s] · ∏ m(level)
//	P(pattern, s | other) = other[s] · ∏ u(level)
//
// A part of an address has m instead of u, in both, in the states in which it is in common. A
// field of families has share·m + (1-share)·u among others of one dwelling and among relatives.
// A telephone number has keep·m + (1-keep)·u among matches of different dwellings.
// The fields of without are left out. values may be nil.
func (p *params) likelihood(of pattern, match, other states, without uint32, values *chances) (m, u states) {
	// The products of the probabilities of each role, where it agrees and where it agrees by chance.
	ownM, ownU, kin := 1., 1., 1.
	localM, localU, homeM, homeU := 1., 1., 1., 1.
	famM, famU, moved := 1., 1., 1.
	for f := range p.fields {
		level := of.level(f)
		if level == missing || without>>f&1 != 0 {
			continue
		}
		agree, chance := p.m[f][level], p.u[f][level]
		if values != nil && values.u[f] > 0 {
			chance = values.u[f]
		}
		switch p.roles[f] {
		case own:
			ownM, ownU = ownM*agree, ownU*chance
		case family:
			famM, famU, kin = famM*agree, famU*chance, kin*(p.share[f]*agree+(1-p.share[f])*chance)
			moved *= p.keep[f]*agree + (1-p.keep[f])*chance
		case locality:
			localM, localU = localM*agree, localU*chance
		case dwelling:
			homeM, homeU = homeM*agree, homeU*chance
		}
	}
	address := states{localU * homeU, localM * homeU, localM * homeM, localU * homeU}
	m, u = match.scaled(ownM), other.scaled(ownU)
	m[0], m[1], m[2] = m[0]*moved, m[1]*moved, m[2]*famM
	for s := range address {
		m[s] *= address[s]
		u[s] *= address[s]
	}
	if values != nil && values.locality > 0 {
		u[1] *= values.locality
	}
	return m, states{u[0] * famU, u[1] * famU, u[2] * kin, u[3] * kin}
}

// joint is the probability of a pattern jointly with a match or none, and with the hidden state.
func (p *params) joint(of pattern, prior float64) (m, u states) {
	return p.likelihood(of, p.match.scaled(prior), p.other.scaled(1-prior), 0, nil)
}

// weight is the evidence of a pattern in bits: log2 P(pattern | match) / P(pattern | other).
func (p *params) weight(of pattern, values *chances) float64 {
	m, u := p.likelihood(of, p.match, p.other, 0, values)
	return math.Log2(m.sum() / u.sum())
}

// probability is that of a match, for a weight in bits and a prior.
func probability(weight, prior float64) float64 {
	return 1 / (1 + math.Exp2(-weight)*(1-prior)/prior)
}

func logOdds(p float64) float64 { return math.Log2(p / (1 - p)) }
