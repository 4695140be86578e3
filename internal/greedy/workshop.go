// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"fmt"
	"hide/internal/annotate"
)

// Sharer is a [Learner] whose trainings share work where documents are the same or
// nearly so: in the folds of a cross-fit, and from one mask to the next.
type Sharer interface {
	Learner
	Share() (Workshop, error)
}

// Workshop does what a [Sharer] and its classifiers do, to the bit, in less time
// when it has met the documents before. It is safe for concurrent use.
type Workshop interface {
	Train(ctx context.Context, views []annotate.View) (Classifier, error)
	// Say is [Classifier.Scores] and [Classifier.Hard] of each view, by a classifier
	// that the workshop trained.
	Say(ctx context.Context, h Classifier, views []annotate.View) (scores [][]float64, hard [][]bool, err error)
	Close()
}

// share opens a workshop for each learner that has one. All labs that are made with
// the result use them, until they are closed.
func (p Params) share() (shared Params, closing func(), err error) {
	p.shops = make([]Workshop, len(p.Learners))
	closing = func() {
		for _, shop := range p.shops {
			if shop != nil {
				shop.Close()
			}
		}
	}
	for i, l := range p.Learners {
		s, can := l.(Sharer)
		if !can {
			continue
		}
		shop, err := s.Share()
		if err != nil {
			closing()
			return p, nil, fmt.Errorf("%s: %w", l.Name(), err)
		}
		p.shops[i] = shop
	}
	return p, closing, nil
}

// atWork is a learner that trains in its workshop.
type atWork struct {
	Learner
	shop Workshop
}

func (l atWork) Train(ctx context.Context, views []annotate.View) (Classifier, error) {
	return l.shop.Train(ctx, views)
}

// learner is the trainee as it trains.
func (t trainee) learner() Learner {
	if t.shop == nil {
		return t.Learner
	}
	return atWork{t.Learner, t.shop}
}

// say fills in what h, which the trainee became, says of the documents of held.
func (t trainee) say(ctx context.Context, s *scored, h Classifier, all []annotate.View, held []int) error {
	together := make([]annotate.View, len(held))
	for k, i := range held {
		together[k] = all[i]
	}
	if _, alike := h.(always); t.shop == nil || alike {
		s.score(h, all, held)
		return ctx.Err()
	}
	scores, hard, err := t.shop.Say(ctx, h, together)
	if err != nil {
		return err
	}
	for k, i := range held {
		s.scores[i], s.hard[i] = scores[k], visible(all[i], hard[k])
	}
	return nil
}

// errNotTrained is for classifiers of another learner.
var errNotTrained = errors.New("the classifier was not trained here")
