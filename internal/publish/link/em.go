// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"math"

	"hide/internal/parallel"
)

// mostRounds bounds the EM algorithm. It ends earlier if no m changes by more than tolerance.
const mostRounds, tolerance = 40, 2e-4

// train estimates the parameters by EM [Dempster, Laird and Rubin 1977; Winkler 1988]. Each
// round finds, for the pairs of each sample, the probabilities of a match and of the hidden
// state. Then
//
//	u, and the share of pairs with one locality, come from the random pairs,
//	m comes from the pairs of the rules that do not use the field,
//	the prior comes from all pairs that the rules give.
//
// The share of matches and the shares of the hidden states within a sample are its own,
// because its rule changes them.
func (e *engine) train(ctx context.Context, samples []*sample) (rounds int, err error) {
	e.model = e.startParams()
	e.prior = startPrior(e.n, e.pairs)
	for _, s := range samples {
		s.match, s.other = e.model.match, e.model.other
		s.share = min(.5, .5*e.prior*e.pairs/max(s.pairs, 1))
	}
	samples[0].share = e.prior
	for rounds = 1; rounds <= mostRounds; rounds++ {
		counts := make([]*expectation, len(samples))
		if err := parallel.Do(ctx, e.workers, len(samples), func(_, i int) {
			counts[i] = e.expect(samples[i])
		}); err != nil {
			return rounds, err
		}
		if change := e.maximize(samples, counts); change < tolerance {
			break
		}
	}
	return min(rounds, mostRounds), nil
}

// startPrior supposes that three of ten records have another record of the same person.
func startPrior(n int, all float64) float64 { return min(.3*float64(n)/max(all, 1), .3) }

// An expectation has the expected counts of a sample.
type expectation struct {
	matches      float64
	match, other states                  // pairs by hidden state
	m, u         [MostFields][16]float64 // pairs that count for m and for u, by level
	ties         [MostFields]ties
	found        float64 // matches among the pairs that the rule takes
	foundOther   states  // of the others among them, the hidden states
}

func (e *engine) expect(s *sample) *expectation {
	x := &expectation{}
	p := e.model
	for _, c := range s.patterns {
		m, u := p.likelihood(c.pattern, s.match, s.other, s.without, nil)
		m, u = m.scaled(s.share), u.scaled(1-s.share)
		scale := c.count / (m.sum() + u.sum())
		m, u = m.scaled(scale), u.scaled(scale)
		x.matches += m.sum()
		x.match, x.other = x.match.plus(m), x.other.plus(u)
		x.count(p, c.pattern, m, u)
		if c.first > 0 {
			x.take(e, c)
		}
	}
	return x
}

// ties are how pairs come to have a value in common: as a family or by chance, for two persons of
// one dwelling; because it is kept or by chance, for matches of different dwellings.
type ties struct{ kin, strange, kept, lost float64 }

func (t *ties) add(a ties, scale float64) {
	t.kin += a.kin * scale
	t.strange += a.strange * scale
	t.kept += a.kept * scale
	t.lost += a.lost * scale
}

// count adds the pairs of a level of a field, and returns the matches that kept the value.
func (t *ties) count(p *params, f, level int, m, u states) (kept float64) {
	agree, chance := p.m[f][level], p.u[f][level]
	moved, relatives := m[0]+m[1], u[2]+u[3]
	kept = moved * p.keep[f] * agree / (p.keep[f]*agree + (1-p.keep[f])*chance)
	kin := relatives * p.share[f] * agree / (p.share[f]*agree + (1-p.share[f])*chance)
	t.add(ties{kin, relatives - kin, kept, moved - kept}, 1)
	return kept
}

// take counts the pairs that the rule takes, as pairs of all records.
func (x *expectation) take(e *engine, c counted) {
	m, u := e.model.joint(c.pattern, e.prior)
	scale := c.first / (m.sum() + u.sum())
	x.found += m.sum() * scale
	x.foundOther = x.foundOther.plus(u.scaled(scale))
}

// count adds the pairs of a pattern to the levels of its fields. A part of an address
// counts for m where the records have it in common, match or not, and for u elsewhere.
func (x *expectation) count(p *params, of pattern, m, u states) {
	for f := range p.fields {
		level := of.level(f)
		if level == missing {
			continue
		}
		switch p.roles[f] {
		case own:
			x.m[f][level] += m.sum()
			x.u[f][level] += u.sum()
		case family:
			x.m[f][level] += m[2] + x.ties[f].count(p, f, level, m, u)
			x.u[f][level] += u[0] + u[1]
		case locality:
			x.m[f][level] += m[1] + m[2] + u[1] + u[2]
			x.u[f][level] += m[0] + u[0] + u[3]
		case dwelling:
			x.m[f][level] += m[2] + u[2]
			x.u[f][level] += m[0] + m[1] + u[0] + u[1] + u[3]
		}
	}
}

// maximize sets the parameters from the expected counts and returns the largest change of an m.
func (e *engine) maximize(samples []*sample, counts []*expectation) (change float64) {
	start := e.startParams()
	for f := range e.fields {
		m, of := fieldCounts(samples, counts, f)
		before := e.model.m[f]
		e.model.m[f], e.model.held[f] = steadied(atLeast(estimate(m, start.m[f], strengthM), len(e.shape.levels[f])), start.m[f][0], e.fields[f].Kind)
		e.model.share[f] = (of.kin + strengthShare*start.share[f]) / (of.kin + of.strange + strengthShare)
		if start.keep[f] < 1 {
			e.model.keep[f] = (of.kept + strengthShare*start.keep[f]) / (of.kept + of.lost + strengthShare)
		}
		e.model.u[f] = estimate(counts[0].u[f], start.u[f], strengthU)
		for l := range before {
			change = max(change, math.Abs(before[l]-e.model.m[f][l]))
		}
	}
	e.maximizeStates(samples, counts, start)
	e.maximizeShares(samples, counts)
	return change
}

// fieldCounts is the mean of the counts of the samples whose rules do not use a field. It is the
// mean and not the sum because most matches are in several samples.
func fieldCounts(samples []*sample, counts []*expectation, f int) (m [16]float64, of ties) {
	used := 0.
	for _, s := range samples {
		if s.without>>f&1 == 0 {
			used++
		}
	}
	for i, s := range samples {
		if s.without>>f&1 == 0 {
			for l := range m {
				m[l] += counts[i].m[f][l] / used
			}
			of.add(counts[i].ties[f], 1/used)
		}
	}
	return m, of
}

// leastM is the smallest m: no disagreement of one field excludes a match, because records have
// errors that the pairs at hand do not show.
const leastM = .0005

func atLeast(m [16]float64, levels int) [16]float64 {
	sum := 0.
	for l := range levels {
		m[l] = max(m[l], leastM)
		sum += m[l]
	}
	for l := range levels {
		m[l] /= sum
	}
	return m
}

// estimate is the share of each level, with strength pairs as expected. A rare level that no
// pair shows counts as half a pair, or less if so few pairs are expected to show it.
func estimate(counts, expected [16]float64, strength float64) (shares [16]float64) {
	pairs := 0.
	for _, c := range counts[:mostLevels] {
		pairs += c
	}
	sum := 0.
	for l, e := range expected[:mostLevels] {
		shares[l] = counts[l] + max(strength*e, min(pairs*e, .5))
		sum += shares[l]
	}
	for l := range shares {
		shares[l] /= sum
	}
	shares[missing] = 1
	return shares
}

// maximizeStates sets the shares of the hidden states: for all pairs from the samples whose
// rules use no part of an address, and for each sample from its own pairs.
func (e *engine) maximizeStates(samples []*sample, counts []*expectation, start *params) {
	var match states
	for i, s := range samples {
		if !e.tellsOfMoves(s.without) {
			match = match.plus(counts[i].match)
		}
	}
	e.model.match = match.share(start.match, strengthM)
	e.model.other = counts[0].other.share(start.other, strengthU)
	families := e.families(samples, counts)
	e.model.other[2] = max(families[2], leastFamilies*start.other[2])
	e.model.other[3] = max(families[3], leastFamilies*start.other[3])
	e.model.other = e.shape.possible(e.model.other)
	for i, s := range samples {
		s.match = counts[i].match.share(e.model.match, strengthM)
		s.other = counts[i].other.share(e.model.other, 1)
	}
}

// tellsOfMoves reports whether any of the fields is more often equal among matches of one dwelling.
func (e *engine) tellsOfMoves(fields uint32) bool {
	for f, r := range e.shape.roles {
		if fields>>f&1 != 0 && (r == locality || r == dwelling || e.shape.keep[f] < 1) {
			return true
		}
	}
	return false
}

// leastFamilies is the least of the expected pairs of relatives that is supposed.
const leastFamilies = .02

// families are the shares of the hidden states among all pairs, from the pairs that the rules
// give: relatives have so much in common that some rule gives them. Random pairs are too few to
// show them.
func (e *engine) families(samples []*sample, counts []*expectation) states {
	if samples[0].taken == e.pairs {
		return counts[0].other.scaled(1 / max(samples[0].taken, 1))
	}
	var sum states
	for i, s := range samples {
		sum = sum.plus(counts[i].foundOther.scaled(s.scale()))
	}
	return sum.scaled(1 / e.pairs)
}

// maximizeShares sets the share of matches of each sample, and the prior from the matches among
// all pairs that the rules give.
func (e *engine) maximizeShares(samples []*sample, counts []*expectation) {
	found := 0.
	for i, s := range samples {
		s.share = (counts[i].matches + .5*e.prior) / (s.taken + .5)
		found += counts[i].found * s.scale()
	}
	if samples[0].taken == e.pairs {
		found = max(found, counts[0].matches)
	}
	e.prior = min(max(found, .5)/max(e.pairs, 1), .9)
	samples[0].share = e.prior
}
