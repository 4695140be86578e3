// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"hide/internal/annotate"
)

// CrossFitter is a [Learner] that can be cross-fitted for less than a training for
// each fold and one more: what a learner of several stages trains for one purpose
// serves the others.
type CrossFitter interface {
	Learner
	// CrossFit scores each view by what was learnt from the other folds, and
	// learns from all views too, as Train does. fold[i], in [0, folds), is the
	// fold of views[i]; the documents of a group are in one. Scores and hard are
	// by view and by token and mean what [Classifier] says. A view without tokens
	// gets none. The learner says what of it is nested and what is not.
	CrossFit(ctx context.Context, views []annotate.View, fold []int, folds int) (scores [][]float64, hard [][]bool, full Classifier, err error)
}

// Telling is a [CrossFitter] that tells how far it is. Telling returns one that calls
// tell with the stage that it is at, in words, and how many of its trainings are
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
