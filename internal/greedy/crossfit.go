// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"fmt"

	"hide/internal/annotate"
)

// CrossFitter is a [Learner] that can be cross-fitted for less than a training for
// each fold and one more: what a learner of several stages trains for one purpose
// serves the others.
type CrossFitter interface {
	Learner
	// CrossFit scores each view by what was trained on the other folds, and
	// trains on all views too, as Train does. fold[i], in [0, folds), is the
	// fold of views[i]; the documents of a group are in one. Scores and hard are
	// by view and by token and mean what [Classifier] says. A view without tokens
	// gets none. The learner says what of it is nested and what is not.
	CrossFit(ctx context.Context, views []annotate.View, fold []int, folds int) (scores [][]float64, hard [][]bool, full Classifier, err error)
}

// Telling is a [CrossFitter] that tells how far it is. Telling returns one that calls
// report with the stage that it is at, in words, and how many of its trainings are
// done, in order, from one goroutine at a time.
type Telling interface {
	CrossFitter
	Telling(tell func(stage string, done, total int)) CrossFitter
}

// BatchClassifier is a [Classifier] that says more of documents that are published
// together than of each by itself: what one of them shows about a word counts in
// the others of its group.
type BatchClassifier interface {
	Classifier
	// ScoreAll is Scores of each view in the light of the others.
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

// HardAll labels views that are published together: in the light of each other when
// the classifier has a method of this name, and one by one when it has not.
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

// crossFits is the learner as one that cross-fits by itself, if it does and the
// folds allow it.
func (l *lab) crossFits(learner int, masks [][]bool) (CrossFitter, bool) {
	c, can := l.trainee(learner).Learner.(CrossFitter)
	return c, can && l.folds > 1 && hasBothClasses(views(l.docs, masks), l.fold, l.folds)
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

// hasBothClasses reports whether there are tokens of both kinds outside every fold.
func hasBothClasses(all []annotate.View, fold []int, folds int) bool {
	for f := range folds {
		kept, _ := split(all, fold, f)
		if left, tokens := countRemaining(kept); left == 0 || left == tokens {
			return false
		}
	}
	return true
}

// Fit trains l on views of which some may have no tokens, and all tokens may be
// of one kind: then the classifier says that kind of every token, without asking
// l. Learners that train others call it.
func Fit(ctx context.Context, l Learner, views []annotate.View) (Classifier, error) {
	return train(ctx, l, views)
}
