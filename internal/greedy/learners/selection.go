// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"context"
	"errors"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/linear"
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
