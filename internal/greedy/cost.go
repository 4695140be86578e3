// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// CostSensitive is a [Learner] that can weigh instances. Weighted returns one that
// counts an error on a sensitive token weight times an error on another one; weight is
// above 0.
type CostSensitive interface {
	Learner
	Weighted(weight float64) Learner
}

// ErrNoWeights is returned in mode [CostWeight] when no learner is a
// [CostSensitive] one.
var ErrNoWeights = errors.New("no learner can weight tokens by cost")

// costThreshold is the step of the baseline: one classifier, the first learner's,
// and the threshold where a calibrated classifier's expected loss from publishing
// a token, L*p, meets that of redacting it, C_k*(1-p). L is the mean of L_c over the
// sensitive tokens, since one score does not tell categories apart; the kind of a
// word is known.
func (l *lab) costThreshold(ctx context.Context, s *solution, lc float64) (move, error) {
	out, err := l.outOfFold(ctx, 0, s.last())
	if err != nil {
		return move{}, err
	}
	prices := l.tariff.prices
	scores := prices.pricedAll(l.docs, out.scores)
	c := cutAt(l.rank(s.last(), scores), 1/(1+lc*l.tariff.mean(l.docs, true)))
	return move{name: l.learners[0].Name(), cut: c, marks: allAtLeast(scores, c.threshold), prices: prices, baseline: true}, nil
}

// costWeight is the step of the other baseline: the first learner that weighs
// instances is told that a sensitive token weighs L/C, and its hard labels count. It tells
// neither categories nor kinds apart, so both are means over the tokens.
func (l *lab) costWeight(ctx context.Context, s *solution, lc float64) (move, error) {
	i := weighing(l.learners)
	if i < 0 {
		return move{}, ErrNoWeights
	}
	weight := lc * l.tariff.ratio(l.docs)
	if weight == 0 { // no leak costs anything: a weight of 0 is no weight to learners
		return move{learner: i, name: l.learners[i].Name() + ", weighted", cut: cut{threshold: 1}, marks: nothing(l.docs), hard: true, baseline: true, full: always(false)}, nil
	}
	learner := trainee{Learner: l.learners[i].(CostSensitive).Weighted(weight), id: fmt.Sprintf("%d weighted %g", i, weight)}
	out, err := l.crossFit(ctx, learner, s.last(), l.fold, l.folds)
	if err != nil {
		return move{}, err
	}
	h, err := l.fit(ctx, learner, s.last())
	if err != nil {
		return move{}, err
	}
	m := l.byLabels(i, s.last(), out)
	m.name, m.baseline, m.full = fmt.Sprintf("%s, weighted", learner.Name()), true, h
	return m, nil
}

// Possible reports whether the mode can do anything with these learners: [CostWeight]
// needs one that weighs instances.
func (m Mode) Possible(learners []Learner) bool { return m != CostWeight || weighing(learners) >= 0 }

// weighing is the index of the first learner that weighs instances, -1 for none.
func weighing(learners []Learner) int {
	for i, l := range learners {
		if _, can := l.(CostSensitive); can {
			return i
		}
	}
	return -1
}

// LogOdds is log(p/(1-p)) of a probability that is taken to be at least surest and at
// most 1-surest: no certainty then outvotes everybody else. With 0 it is infinite for
// certainty, and not a number for what is none.
func LogOdds(p, surest float64) float64 {
	p = min(max(p, surest), 1-surest)
	return math.Log(p / (1 - p))
}

// Logistic is the probability of log-odds f: 1/(1+e^-f).
func Logistic(f float64) float64 { return 1 / (1 + math.Exp(-f)) }
