// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"context"
)

// solution is H for one L/C, with what it does to the training documents: in
// paper mode by the classifiers of H themselves, otherwise by classifiers of the
// same rounds that did not see the document.
type solution struct {
	h      Ensemble
	from   []int      // index of the learner of each of h
	rounds []Round    // the last may be one that did not join H
	masks  [][][]bool // masks[k] after k rounds; masks[0] redacts nothing
}

// last is what all of H redacts.
func (s *solution) last() [][]bool { return s.masks[len(s.masks)-1] }

// watcher is told of each finished round.
type watcher func(s *solution, round Round) error

func ignore(*solution, Round) error { return nil }

// solve finds H for lc; a limit of 0 rounds stands for the mode's own. In paper
// mode watch is not called: the rounds are in the solution.
func (l *lab) solve(ctx context.Context, mode Mode, lc float64, limit int, watch watcher) (*solution, error) {
	limit = cmp.Or(limit, mode.rounds())
	switch mode {
	case Paper:
		return l.solvePaper(ctx, lc, limit)
	case PaperHoldout:
		return l.loop(ctx, lc, limit, l.mostAccurate, watch)
	case GreedyUnion:
		return l.loop(ctx, lc, limit, l.unionStep, watch)
	case Cost:
		return l.loop(ctx, lc, 1, l.costThreshold, watch)
	case CostWeight:
		return l.loop(ctx, lc, 1, l.costWeight, watch)
	default:
		return l.loop(ctx, lc, limit, l.robust, watch)
	}
}

// move is what a classifier marks, out of fold, of what remains.
type move struct {
	learner  int
	name     string
	cut      cut
	marks    [][]bool
	prices   Prices     // that the scores are priced with; nil: they are not
	hard     bool       // the marks are hard labels
	whole    bool       // the classifier reads documents as they are, not what remains of them
	baseline bool       // joins H whether it pays or not, and ends the loop
	full     Classifier // trained on all documents; nil: the lab's, by learner
}

func (m move) round(number int, accepted bool) Round {
	return Round{Number: number, Learner: m.name, Threshold: m.cut.threshold, Hard: m.hard, Counts: m.cut.counts.Counts, Worth: m.cut.counts.Worth, Cost: m.cut.counts.Cost, ByPrice: len(m.prices) > 0, Accepted: accepted}
}

// chooser picks the next move against what s leaves.
type chooser func(ctx context.Context, s *solution, lc float64) (move, error)

// loop makes moves while they pay: T(H u h) - T(H) < 0.
func (l *lab) loop(ctx context.Context, lc float64, limit int, next chooser, watch watcher) (*solution, error) {
	s := &solution{masks: [][][]bool{nothing(l.docs)}}
	for {
		m, err := next(ctx, s, lc)
		if err != nil {
			return nil, err
		}
		joins := m.baseline || m.cut.counts.Pays(lc) && len(s.rounds) < limit
		if joins {
			if err := l.accept(ctx, s, m); err != nil {
				return nil, err
			}
		}
		s.rounds = append(s.rounds, m.round(len(s.rounds)+1, joins))
		if err := watch(s, s.rounds[len(s.rounds)-1]); err != nil || !joins || m.baseline {
			return s, err
		}
	}
}

// accept adds the move's classifier, trained on all documents, to H and redacts
// what the move marked.
func (l *lab) accept(ctx context.Context, s *solution, m move) error {
	masks := make([][]bool, len(l.docs))
	for i, before := range s.last() {
		masks[i] = union(before, m.marks[i])
	}
	if !s.lowered(m) {
		h, err := l.joining(ctx, s, m)
		if err != nil {
			return err
		}
		s.h = append(s.h, Accepted{Learner: m.name, Classifier: h, Threshold: m.cut.threshold, Prices: m.prices, Hard: m.hard, Whole: m.whole})
		s.from = append(s.from, m.learner)
	}
	s.masks = append(s.masks, masks)
	return nil
}

// lowered lowers the threshold of a classifier of H that reads documents as they
// are, when the move is by the same one: what both thresholds mark together is
// what the lower one does.
func (s *solution) lowered(m move) bool {
	for k := range s.h {
		if m.whole && s.h[k].Whole && s.from[k] == m.learner {
			s.h[k].Threshold = min(s.h[k].Threshold, m.cut.threshold)
			return true
		}
	}
	return false
}

// joining is the classifier that joins H.
func (l *lab) joining(ctx context.Context, s *solution, m move) (Classifier, error) {
	switch {
	case m.full != nil:
		return m.full, nil
	case m.whole:
		return l.classifier(ctx, m.learner, s.masks[0])
	}
	return l.classifier(ctx, m.learner, s.last())
}
