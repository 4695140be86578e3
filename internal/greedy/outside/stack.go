// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"hide/internal/annotate"
	"hide/internal/greedy"
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
				scores[i] = w.scores(v, of(said, i))
				hard[i] = likely(scores[i])
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
	blend blend
}

var (
	_ greedy.BatchClassifier = (*Stacked)(nil)
	_ greedy.PriorCorrector  = (*Stacked)(nil)
)

// Scores implements [greedy.Classifier].
func (s *Stacked) Scores(v annotate.View) []float64 { return s.ScoreAll([]annotate.View{v})[0] }

// Hard implements [greedy.Classifier].
func (s *Stacked) Hard(v annotate.View) []bool { return likely(s.Scores(v)) }

// ScoreAll implements [greedy.BatchClassifier].
func (s *Stacked) ScoreAll(views []annotate.View) [][]float64 {
	said := make([][][]float64, len(s.all))
	for k, h := range s.all {
		said[k] = greedy.ScoreAll(h, views)
	}
	out := make([][]float64, len(views))
	for i, v := range views {
		out[i] = s.blend.scores(v, of(said, i))
	}
	return out
}

// CorrectPrior implements [greedy.PriorCorrector]: the detector's scores are corrected.
func (s *Stacked) CorrectPrior(ctx context.Context, views []annotate.View) (greedy.Classifier, float64, error) {
	c, can := s.all[0].(greedy.PriorCorrector)
	if !can {
		return s, 1, nil
	}
	base, rise, err := c.CorrectPrior(ctx, views)
	if err != nil {
		return nil, 1, err
	}
	return &Stacked{append([]greedy.Classifier{base}, s.all[1:]...), s.blend}, rise, nil
}

func likely(scores []float64) []bool {
	out := make([]bool, len(scores))
	for x, p := range scores {
		out[x] = p >= 0.5
	}
	return out
}

// certain keeps log-odds finite, and tells the detector's doubtful tokens apart far below
// the threshold of any L/C.
const certain = 1e-7

// blend has a weight for each learner, the detector first, and the intercept last.
type blend []float64

func (w blend) logOdds(said [][]float64, x int) float64 {
	f := w[len(w)-1]
	for k := range said {
		f += w[k] * greedy.LogOdds(said[k][x], certain)
	}
	return f
}

func (w blend) scores(v annotate.View, said [][]float64) []float64 {
	out := make([]float64, len(v.Words))
	for x := range out {
		if !v.Hidden(x) {
			out[x] = greedy.Logistic(w.logOdds(said, x))
		}
	}
	return out
}

// ridge pulls the weights towards the detector alone, as strongly as four tokens with
// probability one half and log-odds of 1.
const ridge = 4

// fitBlend minimises, by Newton's method from the detector alone, w_0 = 1 and the rest 0,
//
//	sum_x log(1 + exp(f_x)) - y_x f_x + ridge/8 |w - w_0|^2
//
// over the training tokens of the accepted views. The intercept is not pulled.
func fitBlend(views []annotate.View, said [][][]float64, accepted func(view int) bool) blend {
	p := &blendProblem{n: len(said)}
	for i, v := range views {
		for x := range v.Words {
			if accepted(i) && v.InTraining(x) {
				row := make([]float64, p.n+1)
				for k := range said {
					row[k] = greedy.LogOdds(said[k][i][x], certain)
				}
				row[p.n] = 1
				p.rows, p.y = append(p.rows, row), append(p.y, v.Remaining(x))
			}
		}
	}
	w := make(blend, p.n+1)
	w[0] = 1
	loss := p.loss(w)
	for range 50 {
		step := p.newton(w)
		next, better := w, false
		for size := 1.0; size > 1e-6 && !better; size /= 2 {
			next = make(blend, len(w))
			for k := range w {
				next[k] = w[k] - size*step[k]
			}
			l := p.loss(next)
			if better = l < loss*(1-1e-10); better {
				loss = l
			}
		}
		if !better {
			break
		}
		w = next
	}
	return w
}

// blendProblem has the log-odds of each training token by learner, and 1 for the intercept.
type blendProblem struct {
	n    int
	rows [][]float64
	y    []bool
}

func (p *blendProblem) f(w blend, row []float64) float64 {
	f := 0.0
	for k, v := range row {
		f += w[k] * v
	}
	return f
}

// away is how far weight k is from that of the detector alone.
func away(w blend, k int) float64 {
	if k == 0 {
		return w[0] - 1
	}
	return w[k]
}

func (p *blendProblem) loss(w blend) float64 {
	sum := 0.0
	for k := range p.n {
		sum += ridge / 8.0 * away(w, k) * away(w, k)
	}
	for r, row := range p.rows {
		f := p.f(w, row)
		if p.y[r] {
			f = -f
		}
		sum += max(f, 0) + math.Log1p(math.Exp(-math.Abs(f)))
	}
	return sum
}

// newton is the inverse of the Hessian times the gradient, nothing if it has no inverse.
func (p *blendProblem) newton(w blend) []float64 {
	n := p.n + 1
	g, h := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	for k := range n {
		h.SetSym(k, k, 1e-9)
	}
	for k := range p.n {
		g.SetVec(k, ridge/4.0*away(w, k))
		h.SetSym(k, k, ridge/4.0)
	}
	for r, row := range p.rows {
		s := greedy.Logistic(p.f(w, row))
		e := s
		if p.y[r] {
			e--
		}
		for i := range n {
			g.SetVec(i, g.AtVec(i)+e*row[i])
			for j := i; j < n; j++ {
				h.SetSym(i, j, h.At(i, j)+s*(1-s)*row[i]*row[j])
			}
		}
	}
	var c mat.Cholesky
	step := mat.NewVecDense(n, nil)
	if !c.Factorize(h) || c.SolveVecTo(step, g) != nil {
		return make([]float64, n)
	}
	return step.RawVector().Data
}
