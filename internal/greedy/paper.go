// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"hide/internal/annotate"
)

// trace is one run of Algorithm 1 (tkde section 4) without its stopping rule.
// The classifiers do not depend on L/C, so it answers every value.
type trace struct {
	Learners []string // of h_1, h_2, ...
	Counts   []Priced // Counts[k-1] is of h_k on D_(k-1)

	h     Ensemble
	masks [][][]bool // masks[k] is what h_1..h_k redact of the training documents
}

// At is |H| for lc: the number of classifiers before the first h_k with
// T(H u h_k) - T(H) >= 0.
func (t *trace) At(lc float64) int {
	for k, c := range t.Counts {
		if !c.Pays(lc) {
			return k
		}
	}
	return len(t.Counts)
}

// exhaust learns h_1, h_2, ... until one finds nothing, from where on no L/C
// would continue (tkde theorem 1), or until there are limit that found some.
func (l *lab) exhaust(ctx context.Context, limit int) (*trace, error) {
	t := &trace{masks: [][][]bool{nothing(l.docs)}}
	for len(t.Counts) < limit {
		last := t.masks[len(t.masks)-1]
		h, which, err := l.attacker(ctx, last)
		if err != nil {
			return nil, err
		}
		all := views(l.docs, last)
		next := Accepted{Learner: l.learners[which].Name(), Classifier: h, Threshold: 0.5, Hard: true}
		after := redactMore(all, next)
		c := l.tariff.priced(countHard(h, all), l.docs, last, after)
		t.Counts, t.Learners = append(t.Counts, c), append(t.Learners, next.Learner)
		if c.TP == 0 {
			return t, nil
		}
		t.h, t.masks = append(t.h, next), append(t.masks, after)
	}
	return t, nil
}

// redactMore is RemovePredictedPositives(D, h) as masks.
func redactMore(all []annotate.View, a Accepted) [][]bool {
	masks := a.marks(all)
	for i, v := range all {
		masks[i] = union(v.Redacted, masks[i])
	}
	return masks
}

// rounds lists h_1..h_k and the one that was rejected after them.
func (t *trace) rounds(k int) []Round {
	var rounds []Round
	for i := range min(k+1, len(t.Counts)) {
		rounds = append(rounds, Round{Number: i + 1, Learner: t.Learners[i], Threshold: 0.5, Hard: true, Counts: t.Counts[i].Counts, Worth: t.Counts[i].Worth, Cost: t.Counts[i].Cost, Accepted: i < k})
	}
	return rounds
}

func (l *lab) solvePaper(ctx context.Context, lc float64, limit int) (*solution, error) {
	if l.trace == nil {
		t, err := l.exhaust(ctx, limit)
		if err != nil {
			return nil, err
		}
		l.trace = t
	}
	k := l.trace.At(lc)
	return &solution{h: l.trace.h[:k], rounds: l.trace.rounds(k), masks: l.trace.masks[:k+1]}, nil
}
