// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"hide/internal/annotate"
	"slices"
)

// gauge measures publications of the same documents.
type gauge struct {
	p       Params
	lab     *lab       // of the ranked attacker
	draws   *resampler // of the documents published
	further *resampler // of as many others
}

func newGauge(docs []annotate.Note, p Params, work pool) *gauge {
	l := newLab(docs, p, work)
	return &gauge{p, l, newResampler(l.groups, p.Seed, false), newResampler(l.groups, p.Seed, true)}
}

func (g *gauge) measure(ctx context.Context, pub *publication, lc float64) (Measured, error) {
	order, err := g.ranked(ctx, pub.masks)
	if err != nil {
		return Measured{}, err
	}
	m := Measured{Rounds: pub.rounds, Views: views(g.lab.docs, pub.masks)}
	t, rounds := g.lab.tally(pub.masks), slices.Max(pub.rounds)
	m.Attacker, t.attackerTP = g.lab.countPerGroup(pub.masks, pub.hard)
	m.Outcome = t.outcome(lc, rounds, g.draws, order, g.p.Budgets)
	m.Outcome.bound(t.outcome(lc, rounds, g.further, nil, nil))
	return m, nil
}

// ranked is the ranked attacker on what masks leave. Several L/C often publish the
// same one after the other: the last attack is kept.
func (g *gauge) ranked(ctx context.Context, masks [][]bool) (reading, error) {
	if _, done := g.lab.orders[HashMasks(masks)]; !done {
		clear(g.lab.orders)
	}
	return g.lab.rankedAttack(ctx, masks, g.p)
}

// bound takes over the bounds of the same outcome for further documents.
func (o *Outcome) bound(further Outcome) {
	own, others := o.counts(), further.counts()
	for i := range own {
		own[i].AtMost = others[i].AtMost
	}
}

// counts are the estimates of o that are numbers of leaks.
func (o *Outcome) counts() []*Estimate {
	all := []*Estimate{&o.Residual, &o.IdentifiersMissed, &o.InformativeMissed, &o.DocumentsWithLeak, &o.PatientsWithLeak}
	for i := range o.ByLabel {
		all = append(all, &o.ByLabel[i].Missed, &o.ByLabel[i].SpansMissed)
	}
	return all
}
