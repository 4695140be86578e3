// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"context"
	"errors"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Selection trains the one of several learners that errs least on documents held
// out ("Selection" of tkde figures 6 and 7), by FP + FN of the hard
// labels (tkde equation 2). Of equals the first is taken. Learners that sample are
// judged by all tokens of those documents.
type Selection struct {
	Learners []greedy.Learner // at least one
	Folds    int              // 0 means 3
	Seed     uint64           // of folds
}

var _ greedy.Learner = Selection{}

// Chosen is the classifier of a [Selection], behind a pointer so that it can be a key.
type Chosen struct {
	greedy.Classifier
	Learner string // whose it is
	Errors  []int  // out of fold, by learner; nil when there was nothing to hold out
}

// Name is "selection".
func (Selection) Name() string { return "selection" }

// Train implements [greedy.Learner]; its classifiers are *[Chosen]. With one group
// of documents nothing can be held out, and the first learner is taken.
func (s Selection) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	if len(s.Learners) == 0 {
		return nil, errors.New("there is no learner to select from")
	}
	wrong, err := s.errors(ctx, views)
	if err != nil {
		return nil, err
	}
	best := 0
	for i, n := range wrong {
		if n < wrong[best] {
			best = i
		}
	}
	h, err := greedy.Fit(ctx, s.Learners[best], views)
	if err != nil {
		return nil, err
	}
	return &Chosen{h, s.Learners[best].Name(), wrong}, nil
}

func (s Selection) errors(ctx context.Context, views []annotate.View) ([]int, error) {
	var wrong []int
	for _, l := range s.Learners {
		said, err := outOfFold(ctx, l, views, orDefault(s.Folds), s.Seed)
		if err != nil || said == nil {
			return nil, err
		}
		wrong = append(wrong, errorsOf(views, said))
	}
	return wrong, nil
}

// errorsOf is FP + FN.
func errorsOf(views []annotate.View, said []opinion) int {
	n := 0
	for i, v := range views {
		for x, marked := range said[i].marks {
			if v.InTraining(x) && marked != v.Remaining(x) {
				n++
			}
		}
	}
	return n
}

// orDefault is the number of folds when none is given.
func orDefault(folds int) int {
	if folds == 0 {
		return 3
	}
	return folds
}
