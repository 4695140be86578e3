// SPDX-License-Identifier: Apache-2.0

package link

import "math"

// A Model is what was estimated.
type Model struct {
	Prior   float64 // the share of matches among all pairs
	Pairs   float64 // all pairs of records
	Matches float64 // Prior · Pairs
	Rounds  int     // of the EM algorithm
	Fields  []FieldModel

	// Same dwelling, same locality, or neither: the shares among matches and among pairs of two
	// persons. All are 0 without an address.
	Match, Other Address
}

// An Address has the probabilities of the hidden state of a pair.
type Address struct{ Elsewhere, Locality, Dwelling float64 }

// A FieldModel has the levels of a field, best first.
type FieldModel struct {
	Field  Field
	Levels []LevelModel
	// Family is the probability that two persons of one dwelling have the value in common.
	Family float64
	// Filled is the share of records that have a value.
	Filled float64
	// Frequency says that the weight of equal values depends on how frequent they are.
	Frequency bool
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
	m, u   [MostFields][16]float64 // the level missing has probability 1
	match  states
	other  states
}

// states are probabilities of the hidden state of a pair: different localities, one locality,
// one dwelling.
type states [3]float64

func (s states) sum() float64 { return s[0] + s[1] + s[2] }

func (s states) scaled(by float64) states { return states{s[0] * by, s[1] * by, s[2] * by} }

// likelihood is the probability of a pattern among matches and among others, jointly with the
// hidden state s:
//
//	P(pattern, s | match) = match[s] · ∏ m(level)
//	P(pattern, s | other) = other[s] · ∏ u(level)
//
// A part of an address has m instead of u, in both, in the states in which it is in common. A
// field of families has, among others of one dwelling, share·m + (1-share)·u. The fields of
// without are left out. chances, where not 0, replace u, for the frequency of the values.
func (p *params) likelihood(of pattern, match, other states, without uint32, chances *[MostFields]float64) (m, u states) {
	m, u = match, other
	for f := range p.fields {
		level := of.level(f)
		if level == missing || without>>f&1 != 0 {
			continue
		}
		agree, chance := p.m[f][level], p.u[f][level]
		if chances != nil && chances[f] > 0 {
			chance = chances[f]
		}
		switch p.roles[f] {
		case own:
			m[0], m[1], m[2] = m[0]*agree, m[1]*agree, m[2]*agree
			u[0], u[1], u[2] = u[0]*chance, u[1]*chance, u[2]*chance
		case family:
			m[0], m[1], m[2] = m[0]*agree, m[1]*agree, m[2]*agree
			u[0], u[1], u[2] = u[0]*chance, u[1]*chance, u[2]*(p.share[f]*agree+(1-p.share[f])*chance)
		case locality:
			m[0], m[1], m[2] = m[0]*chance, m[1]*agree, m[2]*agree
			u[0], u[1], u[2] = u[0]*chance, u[1]*agree, u[2]*agree
		case dwelling:
			m[0], m[1], m[2] = m[0]*chance, m[1]*chance, m[2]*agree
			u[0], u[1], u[2] = u[0]*chance, u[1]*chance, u[2]*agree
		}
	}
	return m, u
}

// weight is the evidence of a pattern in bits: log2 P(pattern | match) / P(pattern | other).
func (p *params) weight(of pattern, chances *[MostFields]float64) float64 {
	m, u := p.likelihood(of, p.match, p.other, 0, chances)
	return math.Log2(m.sum() / u.sum())
}

// probability is that of a match, for a weight in bits and a prior.
func probability(weight, prior float64) float64 {
	return 1 / (1 + math.Exp2(-weight)*(1-prior)/prior)
}

func logOdds(p float64) float64 { return math.Log2(p / (1 - p)) }
