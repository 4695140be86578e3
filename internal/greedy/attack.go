// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"slices"

	"hide/internal/annotate"
)

// attacker is the papers' attacker on P(H): the classifier that is most accurate
// on the training documents as the masks leave them (tkde equation 2).
func (l *lab) attacker(ctx context.Context, masks [][]bool) (Classifier, int, error) {
	if len(l.learners) == 1 {
		h, err := l.classifier(ctx, 0, masks)
		return h, 0, err
	}
	var best Classifier
	which, errors := 0, 0
	for i := range l.learners {
		h, err := l.classifier(ctx, i, masks)
		if err != nil {
			return nil, 0, err
		}
		c := countHard(h, views(l.docs, masks))
		if best == nil || c.FP+c.FN < errors {
			best, which, errors = h, i, c.FP+c.FN
		}
	}
	return best, which, nil
}

// countHard counts h's hard labels on what the views show.
func countHard(h Classifier, all []annotate.View) Counts {
	var c Counts
	for i, hard := range HardAll(h, all) {
		c = c.plus(CountOn(hard, all[i].Redacted, all[i].Sensitive))
	}
	return c
}

// heldOutAttacker is the papers' attacker with classifiers that did not see the
// document: the counts of the learner that errs least, and its true positives per
// group.
func (l *lab) heldOutAttacker(ctx context.Context, masks [][]bool) (best Counts, hits []float64, err error) {
	for i := range l.learners {
		s, err := l.outOfFold(ctx, i, masks)
		if err != nil {
			return Counts{}, nil, err
		}
		c, perGroup := l.countPerGroup(masks, s.hard)
		if hits == nil || c.FP+c.FN < best.FP+best.FN {
			best, hits = c, perGroup
		}
	}
	return best, hits, nil
}

// countPerGroup counts marks on all documents, which is what thresholds and choices go
// by, and true positives by group on those that estimates are made from.
func (l *lab) countPerGroup(masks, marks [][]bool) (Counts, []float64) {
	var total Counts
	hits := make([]float64, l.groups)
	for i, d := range l.docs {
		c := CountOn(marks[i], masks[i], d.Sensitive)
		total = total.plus(c)
		if g := l.group[i]; g != uncounted {
			hits[g] += float64(c.TP)
		}
	}
	return total, hits
}

// rankedAttack is the budgeted attacker on the documents as published: she
// labels one of 1/Share parts of them, trains on it, and sorts the next by
// P(sensitive); so that each part is attacked once. With several learners the one that finds most within
// the largest budget counts. The order is nil when there is only one group.
func (l *lab) rankedAttack(ctx context.Context, masks [][]bool, p Params) (reading, error) {
	key := l.asked(masks)
	if order, done := l.orders[key]; done {
		return order, nil
	}
	order, err := l.bestOrder(ctx, masks, slices.Max(p.Budgets), p)
	if err != nil {
		return nil, err
	}
	l.orders[key] = order
	return order, nil
}

func (l *lab) bestOrder(ctx context.Context, masks [][]bool, budget int, p Params) (reading, error) {
	part, parts := assign(l.docs, LabelledParts(p.Share), p.Seed, streamHalves)
	if parts < 2 {
		return nil, nil
	}
	var best reading
	most, once := -1.0, ones(l.groups)
	for i := range l.learners {
		s, err := l.rotate(ctx, l.trainee(i), masks, part, parts)
		if err != nil {
			return nil, err
		}
		order := readingOf(counted(l.rank(masks, s.scores)))
		if n := order.found([]int{budget}, once)[0]; n > most {
			best, most = order, n
		}
	}
	return best, nil
}

// reading is what an attacker reads, in order: of each token twice its group, and one
// more when it is sensitive. It is read once per resample, so a token is four bytes.
type reading []int32

func readingOf(order []ranked) reading {
	out := make(reading, len(order))
	for i, r := range order {
		if out[i] = 2 * r.group; r.sensitive {
			out[i]++
		}
	}
	return out
}

// found is how many sensitive tokens are among as many as each budget allows, best
// first, when each token counts as often as its group was drawn. Budgets ascend.
func (r reading) found(budgets []int, drawn times) []float64 {
	out, read, finds := make([]float64, 0, len(budgets)), 0, 0
	for _, token := range r {
		often, sensitive := int(drawn[token>>1]), int(token&1)
		for len(out) < len(budgets) && budgets[len(out)] <= read+often {
			out = append(out, float64(finds+sensitive*(budgets[len(out)]-read)))
		}
		if len(out) == len(budgets) {
			return out
		}
		read, finds = read+often, finds+sensitive*often
	}
	for len(out) < len(budgets) {
		out = append(out, float64(finds))
	}
	return out
}

// rankedFinds is what the ranked attacker finds with each budget, nil when there was
// no such attack: document is what the pseudo-document leaks, and sensitive how much
// there is to find.
func rankedFinds(s *resampler, order reading, budgets []int, document float64, sensitive int) map[int]Estimate {
	if order == nil {
		return nil
	}
	ascending := slices.Compact(slices.Sorted(slices.Values(budgets)))
	finds := make(map[int]Estimate, len(ascending))
	for i, d := range s.spreads(order, ascending, document) {
		b := ascending[i]
		finds[b] = d.bounded(min(b, sensitive))
	}
	return finds
}

// spreads is the spread of what is found with each budget.
func (s *resampler) spreads(r reading, budgets []int, document float64) []spread {
	out, n := make([]spread, len(budgets)), len(s.once)
	for i, v := range r.found(budgets, s.once) {
		out[i].value = v
	}
	for _, drawn := range s.drawn {
		for i, v := range r.found(budgets, drawn) {
			out[i].drawn = append(out[i].drawn, v)
		}
	}
	for _, drawn := range s.worse {
		for i, v := range r.found(budgets, drawn) {
			out[i].worse = append(out[i].worse, v+float64(drawn[n])*min(document, float64(budgets[i])))
		}
	}
	for _, d := range out {
		slices.Sort(d.drawn)
		slices.Sort(d.worse)
	}
	return out
}

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
