// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"fmt"

	"hide/internal/annotate"
)

// CrossFitter is a [Learner] that can be cross-fitted for less than one training per fold
// plus one: the stages of such a learner share trainings.
type CrossFitter interface {
	Learner
	// CrossFit scores each view by classifiers trained on the other folds, and also
	// trains on all views, as Train does. fold[i], in [0, folds), is the fold of
	// views[i]; the documents of a group are in one fold. Scores and hard are by view and
	// token, as in [Classifier]. A view without tokens gets none. The learner documents
	// what is nested and what is not.
	CrossFit(ctx context.Context, views []annotate.View, fold []int, folds int) (scores [][]float64, hard [][]bool, full Classifier, err error)
}

// Telling is a [CrossFitter] that reports progress. Telling returns one that calls report
// with its current stage, in words, and the number of finished trainings, in order, from
// one goroutine at a time.
type Telling interface {
	CrossFitter
	Telling(tell func(stage string, done, total int)) CrossFitter
}

// BatchClassifier is a [Classifier] that scores documents of one publication together:
// evidence about a word in one of them counts in the others of its group.
type BatchClassifier interface {
	Classifier
	// ScoreAll is Scores of each view, given the others.
	ScoreAll(views []annotate.View) [][]float64
}

// ScoreAll scores views that are published together.
func ScoreAll(h Classifier, views []annotate.View) [][]float64 {
	if batch, ok := h.(BatchClassifier); ok {
		return batch.ScoreAll(views)
	}
	out := make([][]float64, len(views))
	for i, v := range views {
		out[i] = h.Scores(v)
	}
	return out
}

// HardAll labels views that are published together: jointly if the classifier has a
// method of this name, and one by one otherwise.
func HardAll(h Classifier, views []annotate.View) [][]bool {
	if batch, ok := h.(interface {
		HardAll([]annotate.View) [][]bool
	}); ok {
		return batch.HardAll(views)
	}
	out := make([][]bool, len(views))
	for i, v := range views {
		out[i] = h.Hard(v)
	}
	return out
}

// crossFits returns the learner as a cross-fitter, if it is one and the folds allow it.
func (l *lab) crossFits(learner int, masks [][]bool) (CrossFitter, bool) {
	c, can := l.trainee(learner).Learner.(CrossFitter)
	return c, can && l.folds > 1 && hasBothClasses(views(l.docs, masks), l.fold, l.folds)
}

// crossFitter lets the learner itself cross-fit, which also gives the classifier of all
// documents. It accepts scores from a checkpoint without the classifier only if whole is
// false.
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

// keptCrossFit returns the checkpoint's part of a cross-fit. It may have scores without
// the classifier, which costs another cross-fit if H needs it.
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

// hasBothClasses reports whether both classes occur outside every fold.
func hasBothClasses(all []annotate.View, fold []int, folds int) bool {
	for f := range folds {
		kept, _ := split(all, fold, f)
		if left, tokens := countRemaining(kept); left == 0 || left == tokens {
			return false
		}
	}
	return true
}

// Fit trains l on views, some of which may have no tokens. If all tokens are of one
// class, the classifier always returns that class, without calling l. Learners that train
// others call it.
func Fit(ctx context.Context, l Learner, views []annotate.View) (Classifier, error) {
	return train(ctx, l, views)
}
