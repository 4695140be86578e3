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

// Selection trains the learner with the fewest errors on held-out documents ("Selection"
// of tkde figures 6 and 7), FP + FN of the hard labels (tkde equation 2). Ties go to the
// first. Learners with sampling are judged on all tokens of those documents.
type Selection struct {
	Learners []greedy.Learner // at least one
	Folds    int              // 0 means 3
	Seed     uint64           // of folds
}

var _ greedy.Learner = Selection{}

// Chosen is the classifier of a [Selection], a pointer so that it can be a map key.
type Chosen struct {
	greedy.Classifier
	Learner string // its learner
	Errors  []int  // out of fold, by learner; nil if nothing could be held out
}

// Name is "selection".
func (Selection) Name() string { return "selection" }

// Train implements [greedy.Learner]; its classifiers are *[Chosen]. With one group of
// documents nothing can be held out, and the first learner is taken.
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

// Ensemble combines one learner with a support vector machine that decides about the
// tokens which the first marks or finds probable enough (the "Ensemble" of tkde section
// 5, which takes false positives from a CRF). The machine is trained only on such tokens
// of documents that the first learner was not trained on, with the first learner's score
// as a feature. The zero value is a CRF and a machine with their default features.
type Ensemble struct {
	First greedy.Learner // nil means greedy.CRF{}
	Then  linear.SVM
	Least float64 // P(sensitive) from which on the machine decides about a token; 0 means 0.1
	Folds int     // 0 means 3
	Seed  uint64  // of folds
}

var _ greedy.Learner = Ensemble{}

// Name is "ensemble".
func (Ensemble) Name() string { return "ensemble" }

// Train implements [greedy.Learner]. If no mark was wrong, or none right, or there is
// only one group of documents, no machine can be trained and the first learner is used
// alone.
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

// doubtful selects the tokens that are marked or probable enough.
func doubtful(v annotate.View, o opinion, least float64) linear.Doubt {
	d := linear.Doubt{Only: make([]bool, len(o.marks)), Odds: make([]float64, len(o.marks))}
	for x, p := range o.scores {
		d.Only[x] = !v.Hidden(x) && (o.marks[x] || p >= least)
		d.Odds[x] = greedy.LogOdds(p, finiteOdds)
	}
	return d
}

// bothKinds reports whether both classes occur among the doubtful tokens.
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

// Scores are the first classifier's; for doubtful tokens, the mean of both log-odds.
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

// Hard is the machine's decision for the doubtful tokens.
func (c *corrected) Hard(v annotate.View) []bool {
	o := ask(c.first, v)
	d := doubtful(v, o, c.least)
	for x, margin := range c.then.Judge(v, d) {
		o.marks[x] = d.Only[x] && margin > 0
	}
	return o.marks
}
