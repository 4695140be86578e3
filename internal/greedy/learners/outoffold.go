// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// opinion is what a classifier says of one view; redacted tokens are never marked.
type opinion struct {
	scores []float64
	marks  []bool
}

func ask(h greedy.Classifier, v annotate.View) opinion {
	o := opinion{h.Scores(v), h.Hard(v)}
	for x := range o.marks {
		o.marks[x] = o.marks[x] && !v.Hidden(x)
	}
	return o
}

// Marks are the tokens of each document that l marks, [greedy.Classifier.Hard], by
// what it trained on the documents of other folds; fold[i] is that of document i.
// A [greedy.CrossFitter] does that in its own way.
func Marks(ctx context.Context, l greedy.Learner, docs []annotate.Note, fold []int, folds int) ([][]bool, error) {
	views := make([]annotate.View, len(docs))
	for i := range docs {
		views[i] = annotate.View{Note: &docs[i]}
	}
	if c, can := l.(greedy.CrossFitter); can {
		_, hard, _, err := c.CrossFit(ctx, views, fold, folds)
		return hard, err
	}
	said, err := sayOutOfFold(ctx, l, views, fold, folds)
	marks := make([][]bool, len(said))
	for i := range said {
		marks[i] = said[i].marks
	}
	return marks, err
}

// outOfFold is what l says of each view by a classifier that was trained on other
// folds. Groups are kept whole. It returns nil when there is one group only.
func outOfFold(ctx context.Context, l greedy.Learner, views []annotate.View, folds int, seed uint64) ([]opinion, error) {
	fold, n := greedy.Deal(groups(views), folds, seed)
	if n < 2 {
		return nil, nil
	}
	return sayOutOfFold(ctx, l, views, fold, n)
}

func sayOutOfFold(ctx context.Context, l greedy.Learner, views []annotate.View, fold []int, folds int) ([]opinion, error) {
	said := make([]opinion, len(views))
	for f := range folds {
		var others []annotate.View
		for i, v := range views {
			if fold[i] != f {
				others = append(others, v)
			}
		}
		h, err := greedy.Fit(ctx, l, others)
		if err != nil {
			return nil, err
		}
		for i, v := range views {
			if fold[i] == f {
				said[i] = ask(h, v)
			}
		}
	}
	return said, ctx.Err()
}

func groups(views []annotate.View) []string {
	out := make([]string, len(views))
	for i, v := range views {
		out[i] = v.Group
	}
	return out
}
