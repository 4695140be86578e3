// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mathext"

	"hide/internal/annotate"
)

// Sharer is a [Learner] whose trainings share work on equal or similar documents: in the
// folds of a cross-fit, and from one mask to the next.
type Sharer interface {
	Learner
	Share() (SharedTraining, error)
}

// SharedTraining gives exactly the results of a [Sharer] and its classifiers, in less
// time if it has met the documents before. It is safe for concurrent use.
type SharedTraining interface {
	Train(ctx context.Context, views []annotate.View) (Classifier, error)
	// Predict is [Classifier.Scores] and [Classifier.Hard] of each view, by a classifier
	// trained by this SharedTraining.
	Predict(ctx context.Context, h Classifier, views []annotate.View) (scores [][]float64, hard [][]bool, err error)
	Close()
}

// share opens a SharedTraining for each learner that has one. All labs made with the
// result use them, until they are closed.
func (p Params) share() (shared Params, closing func(), err error) {
	p.shared = make([]SharedTraining, len(p.Learners))
	closing = func() {
		for _, shop := range p.shared {
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
		p.shared[i] = shop
	}
	return p, closing, nil
}

// sharedLearner is a learner that trains with its SharedTraining.
type sharedLearner struct {
	Learner
	shop SharedTraining
}

func (l sharedLearner) Train(ctx context.Context, views []annotate.View) (Classifier, error) {
	return l.shop.Train(ctx, views)
}

// learner is the trainee as it trains.
func (t trainee) learner() Learner {
	if t.shared == nil {
		return t.Learner
	}
	return sharedLearner{t.Learner, t.shared}
}

// predict fills in the scores of h, the trainee's classifier, for the documents of held.
func (t trainee) predict(ctx context.Context, s *scored, h Classifier, all []annotate.View, held []int) error {
	together := make([]annotate.View, len(held))
	for k, i := range held {
		together[k] = all[i]
	}
	if _, alike := h.(always); t.shared == nil || alike {
		s.score(h, all, held)
		return ctx.Err()
	}
	scores, hard, err := t.shared.Predict(ctx, h, together)
	if err != nil {
		return err
	}
	for k, i := range held {
		s.scores[i], s.hard[i] = scores[k], visible(all[i], hard[k])
	}
	return nil
}

// errForeignClassifier is for classifiers of another learner.
var errForeignClassifier = errors.New("the classifier was not trained here")

// ShareEstimate is the share sum(part)/sum(whole), such as the recall of a model, with
// its 95 % interval over resampled groups. part and whole hold counts, one element per
// group, with 0 <= part[g] <= whole[g]. ok is false if the whole sums to 0 or the lengths
// differ.
//
// A group with nothing in whole changes nothing. Only groups are resampled: a single one
// shows no variation, and its interval is its value.
//
// Resampling cannot show a group unlike all others. There may be none97/n of them, the
// exact Poisson bound of a count of 0 among n groups. Misses clump, so everything may be
// missed in each: the interval begins at most at 1 - none97/n, and ends at least at
// none97/n. That holds for any number of misses, so that more of them never raise its
// beginning. Nor does resampling show how many groups with misses there might have been
// if there are few: the interval also begins below the Poisson bound of [missedAtMost].
func ShareEstimate(part, whole []float64, seed uint64) (e Estimate, ok bool) {
	if len(part) != len(whole) {
		return Estimate{}, false
	}
	part, whole = present(part, whole)
	if len(whole) == 0 {
		return Estimate{}, false
	}
	return newResampler(len(whole), seed, false).share(part, whole), true
}

// share is [ShareEstimate] where every group has something in whole.
func (s *resampler) share(part, whole []float64) Estimate {
	e, never := s.ratio(part, whole), min(1, none97/float64(len(whole)))
	e.Low, e.High = min(e.Low, 1-never, max(0, 1-missedAtMost(part, whole))), max(e.High, never)
	return e
}

// missedAtMost is the 97.5 % upper bound of the missed share, with groups with misses as
// Poisson events weighted by their misses: the gamma interval of Fay and Feuer (Stat.
// Med. 1997). With y the sum of the weights w, v that of their squares and m the largest
// of them, the weight of one more event, it is the quantile of a gamma distribution with
// mean y + m and variance v + m^2. For events of equal weight it is the exact Poisson
// bound.
func missedAtMost(part, whole []float64) float64 {
	var all, y, v, m float64
	for g, w := range whole {
		missed := w - part[g]
		all, y, v, m = all+w, y+missed, v+missed*missed, max(m, missed)
	}
	if m == 0 {
		return 0
	}
	mean, variance := (y+m)/all, (v+m*m)/(all*all)
	return mathext.GammaIncRegInv(mean*mean/variance, 0.975) * variance / mean
}

// present drops the groups that have nothing in whole.
func present(part, whole []float64) (p, w []float64) {
	for g, x := range whole {
		if x > 0 {
			p, w = append(p, part[g]), append(w, x)
		}
	}
	return p, w
}
