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

// stage is the second stage: a logistic blend of the base learners, and trees that
// correct it where evidence exists. Trees alone cut scores into steps: with few documents
// they lose the order of uncertain tokens, which thresholds at a high recall depend on.
type stage struct {
	blend []float64 // by base learner, and the intercept
	trees *boost.Model
}

// ridge pulls a blend's weights towards the mean, as strongly as four tokens with
// probability one half and log-odds of 1.
const ridge = 4

// fitBlend is the logistic regression of y on the base learners' log-odds, by Newton's
// method starting at their mean: it minimises
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

// solve solves Ax = b for a positive definite A, of which the lower half is read, by
// Cholesky decomposition. It overwrites both.
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
	// shareWeight is the weight, in tokens, of the training share against the documents
	// at hand: a note or two alone change nothing.
	shareWeight = 1000
	// mostRise limits the factor of the odds. A detector that is unsure of everything,
	// for example in another language, would otherwise mark everything.
	mostRise = 4
	// shareRounds limits the iterations; it nearly always converges earlier.
	shareRounds = 100
	// sharePiece is how many documents are held at once, in columns.
	sharePiece = 8
)

var _ greedy.PriorCorrector = (*Classifier)(nil)

// Rise implements [greedy.PriorCorrector]. If sensitive and other tokens are each
// distributed as in training, where the share was q, and the share is now s, then the odds
// of every token are
//
//	r = s/(1-s) (1-q)/q
//
// times those of c (Saerens, Latinne and Decaestecker 2002). It is never below 1: a lower
// share may mean that the detector misses more. Without [Share] or a second stage it is 1.
//
// Views are scored a few at a time, on GOMAXPROCS processors: evidence between documents
// published together counts only within these few.
func (c *Classifier) Rise(ctx context.Context, views []annotate.View) (float64, error) {
	if !c.parts.has(Share) || c.second == nil {
		return 1, nil
	}
	scores, err := c.scorePieces(ctx, views)
	if err != nil {
		return 1, err
	}
	return rise(views, scores, c.encoder.Share()), nil
}

// Raised implements [greedy.PriorCorrector]: the blend of the second stage, which c must
// have, takes log r.
func (c *Classifier) Raised(r float64) greedy.Classifier {
	out, second := *c, *c.second
	second.blend = slices.Clone(second.blend)
	last := len(second.blend) - 1
	second.blend[last] = min(second.blend[last]+math.Log(r), mostBlend)
	out.second = &second
	return &out
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
// over the n visible tokens, by the EM of the same paper with a prior of a tokens; p' has
// the odds of p times r.
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
