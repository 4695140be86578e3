// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/blend"
)

// Stack adds learners to a detector. It blends the log-odds of all of them by logistic
// regression on scores that no learner trained on, and is judged like the detector alone.
type Stack struct {
	Base     greedy.CrossFitter // the detector
	More     []greedy.Learner
	Folds    int             // of Train, by Group; 0 means 4
	Seed     uint64          // of these folds
	Sampling greedy.Sampling // that of the detector, so that the blend keeps its effect
}

var _ greedy.CrossFitter = Stack{}

// Name is that of the detector.
func (s Stack) Name() string { return s.Base.Name() }

// Train implements [greedy.Learner]. With one group nothing is out of fold, and the detector
// decides alone.
func (s Stack) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	groups := make([]string, len(views))
	for i, v := range views {
		groups[i] = v.Group
	}
	folds := s.Folds
	if folds == 0 {
		folds = 4
	}
	fold, folds := greedy.Deal(groups, folds, s.Seed)
	if folds < 2 {
		return s.Base.Train(ctx, views)
	}
	_, _, h, err := s.CrossFit(ctx, views, fold, folds)
	return h, err
}

// CrossFit implements [greedy.CrossFitter]. The blend of a fold is fitted to the scores of
// the other folds; these come from learners that were trained on the fold among others.
func (s Stack) CrossFit(ctx context.Context, views []annotate.View, fold []int, folds int) ([][]float64, [][]bool, greedy.Classifier, error) {
	base, _, full, err := s.Base.CrossFit(ctx, views, fold, folds)
	if err != nil {
		return nil, nil, nil, err
	}
	said, all := [][][]float64{base}, []greedy.Classifier{full}
	for _, l := range s.More {
		scores, h, err := outOfFold(ctx, l, views, fold, folds)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", l.Name(), err)
		}
		said, all = append(said, scores), append(all, h)
	}
	taught := greedy.Sample(views, s.Sampling)
	scores, hard := make([][]float64, len(views)), make([][]bool, len(views))
	for f := range folds {
		w := fitBlend(taught, said, func(i int) bool { return fold[i] != f })
		for i, v := range views {
			if fold[i] == f {
				scores[i] = blended(w, v, of(said, i))
				hard[i] = greedy.Likely(scores[i])
			}
		}
	}
	return scores, hard, &Stacked{all, fitBlend(taught, said, func(int) bool { return true })}, ctx.Err()
}

// outOfFold scores each view by a classifier trained on the other folds, and also trains on
// all views.
func outOfFold(ctx context.Context, l greedy.Learner, views []annotate.View, fold []int, folds int) ([][]float64, greedy.Classifier, error) {
	scores := make([][]float64, len(views))
	for f := range folds {
		var others, held []annotate.View
		var at []int
		for i, v := range views {
			if fold[i] == f {
				held, at = append(held, v), append(at, i)
			} else {
				others = append(others, v)
			}
		}
		h, err := greedy.Fit(ctx, l, others)
		if err != nil {
			return nil, nil, err
		}
		for k, p := range greedy.ScoreAll(h, held) {
			scores[at[k]] = p
		}
	}
	h, err := greedy.Fit(ctx, l, views)
	return scores, h, err
}

// of are the scores of view i, by learner.
func of(said [][][]float64, i int) [][]float64 {
	out := make([][]float64, len(said))
	for k := range said {
		out[k] = said[k][i]
	}
	return out
}

// Stacked is the classifier of a [Stack].
type Stacked struct {
	all   []greedy.Classifier // the detector first
	blend blend.Weights
}

var (
	_ greedy.BatchClassifier = (*Stacked)(nil)
	_ greedy.PriorCorrector  = (*Stacked)(nil)
	_ greedy.Wary            = (*Stacked)(nil)
)

// Scores implements [greedy.Classifier].
func (s *Stacked) Scores(v annotate.View) []float64 { return s.ScoreAll([]annotate.View{v})[0] }

// Hard implements [greedy.Classifier].
func (s *Stacked) Hard(v annotate.View) []bool { return greedy.Likely(s.Scores(v)) }

// ScoreAll implements [greedy.BatchClassifier].
func (s *Stacked) ScoreAll(views []annotate.View) [][]float64 {
	said := make([][][]float64, len(s.all))
	for k, h := range s.all {
		said[k] = greedy.ScoreAll(h, views)
	}
	out := make([][]float64, len(views))
	for i, v := range views {
		out[i] = blended(s.blend, v, of(said, i))
	}
	return out
}

// Rise implements [greedy.PriorCorrector]: it is the detector's.
func (s *Stacked) Rise(ctx context.Context, views []annotate.View) (float64, error) {
	if c, can := s.all[0].(greedy.PriorCorrector); can {
		return c.Rise(ctx, views)
	}
	return 1, ctx.Err()
}

// Raised implements [greedy.PriorCorrector]: the blend takes log r.
func (s *Stacked) Raised(r float64) greedy.Classifier {
	w := slices.Clone(s.blend)
	w[len(w)-1] += math.Log(r)
	return &Stacked{s.all, w}
}

// Wary implements [greedy.Wary]: the detector is made wary.
func (s *Stacked) Wary(ctx context.Context, views []annotate.View) (greedy.Classifier, float64, error) {
	w, can := s.all[0].(greedy.Wary)
	if !can {
		return s, 1, ctx.Err()
	}
	base, trust, err := w.Wary(ctx, views)
	if err != nil || trust == 1 {
		return s, trust, err
	}
	return &Stacked{append([]greedy.Classifier{base}, s.all[1:]...), s.blend}, trust, nil
}

// certain keeps log-odds finite, and tells the detector's doubtful tokens apart far below
// the threshold of any L/C.
const certain = 1e-7

// logOdds of scores, by learner.
func logOdds(scores [][]float64) [][]float64 {
	out := make([][]float64, len(scores))
	for k := range scores {
		out[k] = make([]float64, len(scores[k]))
		for x, p := range scores[k] {
			out[k][x] = greedy.LogOdds(p, certain)
		}
	}
	return out
}

// blended are the scores of a view's visible tokens, from those of each learner.
func blended(w blend.Weights, v annotate.View, scores [][]float64) []float64 {
	said, out := logOdds(scores), make([]float64, len(v.Words))
	for x := range out {
		if !v.Hidden(x) {
			out[x] = greedy.Logistic(w.LogOdds(said, x))
		}
	}
	return out
}

// fitBlend blends the learners from the detector alone, by the training tokens of the
// accepted views.
func fitBlend(views []annotate.View, scores [][][]float64, accepted func(view int) bool) blend.Weights {
	said, y := make([][]float64, len(scores)), []bool(nil)
	for i, v := range views {
		if !accepted(i) {
			continue
		}
		odds := logOdds(of(scores, i))
		for x := range v.Words {
			if v.InTraining(x) {
				y = append(y, v.Remaining(x))
				for k := range said {
					said[k] = append(said[k], odds[k][x])
				}
			}
		}
	}
	return blend.Fit(said, y, blend.Alone(len(said)))
}
