// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"hide/internal/annotate"
	"slices"
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
