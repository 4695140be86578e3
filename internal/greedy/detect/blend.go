// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"
	"math"
	"runtime"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/parallel"
)

// stage is the second stage: a logistic blend of what the base learners say, and
// trees that correct it where evidence speaks. Trees alone cut scores into steps:
// with few documents they lose the order of what is far from certain, which is what
// thresholds at a high recall are about.
type stage struct {
	blend []float64 // by base learner, and what is added
	trees *boost.Model
}

// ridge pulls a blend's weights to those of the mean, as strongly as four tokens with a
// probability of one half and log-odds of 1.
const ridge = 4

// fitBlend is the logistic regression of y on what each base learner said, by
// Newton's method from their mean: it minimises
//
//	sum_r log(1 + exp(f_r)) - y_r f_r + ridge/8 sum_k (w_k - 1/n)^2.
func fitBlend(said [][]float64, y []bool) []float64 {
	n := len(said)
	w := make([]float64, n+1)
	for k := range n {
		w[k] = 1 / float64(n)
	}
	loss := blendLoss(said, y, w)
	for range 50 {
		step := blendStep(said, y, w)
		next, better := w, false
		for size := 1.0; size > 1e-6 && !better; size /= 2 {
			next = moved(w, step, size)
			l := blendLoss(said, y, next)
			if better = l < loss*(1-1e-10); better {
				loss = l
			}
		}
		if !better {
			break
		}
		w = next
	}
	for k := range w {
		w[k] = min(max(w[k], -mostBlend), mostBlend)
	}
	return w
}

func moved(w, step []float64, size float64) []float64 {
	out := make([]float64, len(w))
	for k := range w {
		out[k] = w[k] - size*step[k]
	}
	return out
}

// blended is the blend w of what is said of token r.
func blended(said [][]float64, w []float64, r int) float64 {
	f := w[len(w)-1]
	for k := range said {
		f += w[k] * said[k][r]
	}
	return f
}

func blendLoss(said [][]float64, y []bool, w []float64) float64 {
	sum := 0.0
	for k := range said {
		d := w[k] - 1/float64(len(said))
		sum += ridge / 8.0 * d * d
	}
	for r := range y {
		f := blended(said, w, r)
		if y[r] {
			f = -f
		}
		sum += max(f, 0) + math.Log1p(math.Exp(-math.Abs(f)))
	}
	return sum
}

// blendStep is the Newton step, the Hessian's inverse times the gradient.
func blendStep(said [][]float64, y []bool, w []float64) []float64 {
	n := len(said)
	g, h := make([]float64, n+1), make([][]float64, n+1)
	for i := range h {
		h[i] = make([]float64, n+1)
		h[i][i] = 1e-9
	}
	for k := range n {
		g[k] += ridge / 4.0 * (w[k] - 1/float64(n))
		h[k][k] += ridge / 4.0
	}
	x := make([]float64, n+1)
	x[n] = 1
	for r := range y {
		for k := range said {
			x[k] = said[k][r]
		}
		p := greedy.Logistic(blended(said, w, r))
		e := p
		if y[r] {
			e--
		}
		for i := range x {
			g[i] += e * x[i]
			for j := range i + 1 {
				h[i][j] += p * (1 - p) * x[i] * x[j]
			}
		}
	}
	return solve(h, g)
}

// solve is x of Ax = b for a positive definite A, of which the lower half is read, by
// Cholesky's decomposition. It writes over both.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i == j {
				a[i][i] = math.Sqrt(sum)
			} else {
				a[i][j] = sum / a[j][j]
			}
		}
	}
	for i := range n {
		for k := range i {
			b[i] -= a[i][k] * b[k]
		}
		b[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= a[k][i] * b[k]
		}
		b[i] /= a[i][i]
	}
	return b
}

const (
	// shareWeight is how many tokens the training share counts for, against those of
	// the documents at hand: a note or two by themselves move nothing.
	shareWeight = 1000
	// mostRise bounds the factor of the odds. A detector that is unsure of everything,
	// in another language for one, would otherwise hold everything for sensitive.
	mostRise = 4
	// shareRounds bounds the iteration, which nearly always ends by itself.
	shareRounds = 100
	// sharePiece is how many documents are held at once, in columns.
	sharePiece = 8
)

var _ greedy.PriorCorrector = (*Classifier)(nil)

// CorrectPrior implements [greedy.PriorCorrector]: it is c for documents of which another share is
// sensitive than in training. If sensitive and other tokens are each like those in
// training, of which the share q was sensitive, and now the share is s, then the odds
// of every token are
//
//	r = s/(1-s) (1-q)/q
//
// times what c says (Saerens, Latinne and Decaestecker 2002). Only what raises
// scores counts: a share that seems lower may as well be a detector that has become
// blind. c has to have [Share], and a second stage, whose blend takes log r.
//
// Views are scored a few at a time, on GOMAXPROCS processors: what is evidence in
// documents that are published together is evidence here only within those few.
func (c *Classifier) CorrectPrior(ctx context.Context, views []annotate.View) (greedy.Classifier, float64, error) {
	if !c.parts.has(Share) || c.second == nil {
		return c, 1, nil
	}
	scores, err := c.scorePieces(ctx, views)
	if err != nil {
		return nil, 1, err
	}
	r := rise(views, scores, c.encoder.Share())
	if r == 1 {
		return c, 1, nil
	}
	out, second := *c, *c.second
	second.blend = slices.Clone(second.blend)
	last := len(second.blend) - 1
	second.blend[last] = min(second.blend[last]+math.Log(r), mostBlend)
	out.second = &second
	return &out, r, nil
}

func (c *Classifier) scorePieces(ctx context.Context, views []annotate.View) ([][]float64, error) {
	pieces := slices.Collect(slices.Chunk(views, sharePiece))
	said := make([][][]float64, len(pieces))
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), len(pieces), func(_, i int) { said[i] = c.ScoreAll(pieces[i]) })
	return slices.Concat(said...), err
}

// rise is r, from 1 to mostRise, for the most probable share s: the fixed point of
//
//	s = (sum_t p'_t + a q) / (n + a)
//
// over the n visible tokens, by the EM of the same paper with a prior of a tokens;
// p' has the odds of p times r.
func rise(views []annotate.View, scores [][]float64, training float64) float64 {
	r := 1.0
	for range shareRounds {
		sum, n := shareWeight*training, float64(shareWeight)
		for i, v := range views {
			for t, p := range scores[i] {
				if !v.Hidden(t) {
					sum, n = sum+r*p/(r*p+1-p), n+1
				}
			}
		}
		before := r
		r = min(max(sum/(n-sum)*(1-training)/training, 1), mostRise)
		if math.Abs(r-before) < 1e-4 {
			break
		}
	}
	return r
}
