// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"context"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/linear"
)

// Ensemble asks one learner, and a support vector machine about what that one
// marks or finds probable enough (the "Ensemble" of tkde section 5, which takes
// false positives from a CRF). The machine trains on nothing but such tokens of
// documents that the first learner had not seen, and also sees how sure that was.
// The zero value is a CRF with its usual features, and a machine with its.
type Ensemble struct {
	First greedy.Learner // nil means greedy.CRF{}
	Then  linear.SVM
	Least float64 // P(sensitive) from which on a token is in question; 0 means 0.1
	Folds int     // 0 means 3
	Seed  uint64  // of folds
}

var _ greedy.Learner = Ensemble{}

// Name is "ensemble".
func (Ensemble) Name() string { return "ensemble" }

// Train implements [greedy.Learner]. Where nothing was marked wrongly, or nothing
// rightly, or there is one group of documents only, no machine can be trained and
// the first learner stands alone.
func (e Ensemble) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	if e.First == nil {
		e.First = greedy.CRF{}
	}
	if e.Least == 0 {
		e.Least = 0.1
	}
	if !(e.Least >= 0 && e.Least <= 1) {
		return nil, fmt.Errorf("the threshold %g for doubtful tokens must be from 0 to 1", e.Least)
	}
	said, err := outOfFold(ctx, e.First, views, orDefault(e.Folds), e.Seed)
	if err != nil {
		return nil, err
	}
	doubts := make([]linear.Doubt, len(said))
	for i, o := range said {
		doubts[i] = doubtful(views[i], o, e.Least)
	}
	first, err := greedy.Fit(ctx, e.First, views)
	if err != nil || !bothKinds(views, doubts) {
		return first, err
	}
	then, err := e.Then.TrainOn(ctx, views, doubts)
	if err != nil {
		return nil, err
	}
	return &corrected{e.Least, first, then}, nil
}

// finiteOdds keeps the log-odds of certainty finite.
const finiteOdds = 1e-9

// doubtful puts into question what is marked or found probable enough.
func doubtful(v annotate.View, o opinion, least float64) linear.Doubt {
	d := linear.Doubt{Only: make([]bool, len(o.marks)), Odds: make([]float64, len(o.marks))}
	for x, p := range o.scores {
		d.Only[x] = !v.Hidden(x) && (o.marks[x] || p >= least)
		d.Odds[x] = greedy.LogOdds(p, finiteOdds)
	}
	return d
}

// bothKinds reports whether some tokens in question are sensitive and some not.
func bothKinds(views []annotate.View, doubts []linear.Doubt) bool {
	right, wrong := false, false
	for i, d := range doubts {
		for x, asked := range d.Only {
			asked = asked && !views[i].Skipped(x)
			right = right || asked && views[i].Remaining(x)
			wrong = wrong || asked && !views[i].Remaining(x)
		}
	}
	return right && wrong
}

// corrected is the classifier of an [Ensemble].
type corrected struct {
	least float64
	first greedy.Classifier
	then  *linear.Model
}

// Scores are the first classifier's; of tokens in question, the mean of both
// log-odds.
func (c *corrected) Scores(v annotate.View) []float64 {
	o := ask(c.first, v)
	d := doubtful(v, o, c.least)
	for x, margin := range c.then.Judge(v, d) {
		if d.Only[x] {
			odds := (d.Odds[x] + greedy.LogOdds(c.then.Probability(margin), finiteOdds)) / 2
			o.scores[x] = greedy.Logistic(odds)
		}
	}
	return o.scores
}

// Hard is what the machine believes of the tokens in question.
func (c *corrected) Hard(v annotate.View) []bool {
	o := ask(c.first, v)
	d := doubtful(v, o, c.least)
	for x, margin := range c.then.Judge(v, d) {
		o.marks[x] = d.Only[x] && margin > 0
	}
	return o.marks
}
