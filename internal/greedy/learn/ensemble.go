// SPDX-License-Identifier: Apache-2.0

package learn

import (
	"context"

	"hide/internal/greedy"
	"hide/internal/greedy/linear"
)

// Ensemble marks with one learner and takes back what a support vector machine
// believes to be marked wrongly (the "Ensemble" of tkde section 5). The machine
// learns from nothing but the tokens that the first learner marked in documents
// it had not seen. The zero value is a CRF with its usual features, and a machine
// with its.
type Ensemble struct {
	First greedy.Learner // nil means greedy.CRF{}
	Then  linear.SVM
	Folds int    // 0 means 3
	Seed  uint64 // of folds
}

var _ greedy.Learner = Ensemble{}

// Name is "ensemble".
func (Ensemble) Name() string { return "ensemble" }

// Train implements [greedy.Learner]. Where nothing was marked wrongly, or nothing
// rightly, or there is one group of documents only, no machine can be trained and
// the first learner stands alone.
func (e Ensemble) Train(ctx context.Context, views []greedy.View) (greedy.Classifier, error) {
	if e.First == nil {
		e.First = greedy.CRF{}
	}
	marks, err := marksOutOfFold(ctx, e.First, views, orDefault(e.Folds), e.Seed)
	if err != nil {
		return nil, err
	}
	first, err := greedy.Fit(ctx, e.First, views)
	if err != nil || !bothKinds(views, marks) {
		return first, err
	}
	then, err := e.Then.TrainOn(ctx, views, marks)
	if err != nil {
		return nil, err
	}
	return &corrected{first, then}, nil
}

// bothKinds reports whether marks, if any, are right for some tokens and wrong for
// others.
func bothKinds(views []greedy.View, marks [][]bool) bool {
	right, wrong := false, false
	for i := range marks {
		for x, marked := range marks[i] {
			right = right || marked && views[i].Left(x)
			wrong = wrong || marked && !views[i].Left(x)
		}
	}
	return right && wrong
}

// corrected is the classifier of an [Ensemble].
type corrected struct {
	first greedy.Classifier
	then  *linear.Model
}

// Scores are the first classifier's, but where the machine takes a mark back, they
// are no more than the machine's.
func (c *corrected) Scores(v greedy.View) []float64 {
	out, marks := c.first.Scores(v), visible(v, c.first.Hard(v))
	for x, margin := range c.then.MarginsOn(v, marks) {
		if marks[x] && margin <= 0 {
			out[x] = min(out[x], c.then.Probability(margin))
		}
	}
	return out
}

// Hard is what both mark.
func (c *corrected) Hard(v greedy.View) []bool {
	marks := visible(v, c.first.Hard(v))
	for x, margin := range c.then.MarginsOn(v, marks) {
		marks[x] = marks[x] && margin > 0
	}
	return marks
}
