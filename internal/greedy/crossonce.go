// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"fmt"
	"hide/internal/annotate"
)

// crossFits is the learner as one that cross-fits by itself, if it does and the
// folds allow it.
func (l *lab) crossFits(learner int, masks [][]bool) (CrossFitter, bool) {
	c, can := l.trainee(learner).Learner.(CrossFitter)
	return c, can && l.folds > 1 && tellsApart(views(l.docs, masks), l.fold, l.folds)
}

// crossFitter lets the learner itself cross-fit, which gives the classifier of all
// documents as well. Of a checkpoint it takes scores without the classifier only
// where whole is false.
func (l *lab) crossFitter(ctx context.Context, learner CrossFitter, key job, masks [][]bool, whole bool) (*scored, error) {
	doing := learner.Name() + ", all folds"
	l.trained(doing, 0, 1)
	if t, tells := learner.(Telling); tells {
		learner = t.Telling(func(stage string, done, total int) { l.trained(t.Name()+", "+stage, done, total) })
	}
	all, t := views(l.docs, masks), l.trainee(key.learner)
	s, full, kept := l.keptCrossFit(t, all, masks)
	if !kept || whole && full == nil {
		err := l.work.each(ctx, 1, func(ctx context.Context, _ int) (err error) {
			s.scores, s.hard, full, err = learner.CrossFit(ctx, all, l.fold, l.folds)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("cross-fit %s on %d documents: %w", learner.Name(), len(all), err)
		}
		for i, v := range all {
			s.hard[i] = visible(v, s.hard[i])
		}
		l.keepCrossFit(t, all, masks, s, full)
	}
	if l.out[key] = s; full != nil {
		l.full[key] = full
	}
	l.trained(doing, 1, 1)
	return s, nil
}

// keptCrossFit is what the checkpoint has of a cross-fit. It may have the scores
// without the classifier, which costs another cross-fit when H needs it.
func (l *lab) keptCrossFit(t trainee, all []annotate.View, masks [][]bool) (s *scored, full Classifier, kept bool) {
	s, key := newScored(len(all)), l.keeper.keys(t, masks, crossFitted, l.fold)
	for f := range l.folds {
		if _, held := split(all, l.fold, f); !l.keeper.loadScores(key(f), s, all, held) {
			return s, nil, false
		}
	}
	return s, l.keeper.loadClassifier(key(everything), t.Learner), true
}

func (l *lab) keepCrossFit(t trainee, all []annotate.View, masks [][]bool, s *scored, full Classifier) {
	key := l.keeper.keys(t, masks, crossFitted, l.fold)
	for f := range l.folds {
		_, held := split(all, l.fold, f)
		l.keeper.saveScores(key(f), s, held)
	}
	l.keeper.saveClassifier(key(everything), t.Learner, full)
}

// tellsApart reports whether there are tokens of both kinds outside every fold.
func tellsApart(all []annotate.View, fold []int, folds int) bool {
	for f := range folds {
		kept, _ := split(all, fold, f)
		if left, tokens := countLeft(kept); left == 0 || left == tokens {
			return false
		}
	}
	return true
}
