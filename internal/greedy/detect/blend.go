// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"
	"math"
	"runtime"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/blend"
	"hide/internal/greedy/boost"
	"hide/internal/parallel"
)

// stage is the second stage: a logistic blend of the base learners, and trees that
// correct it where evidence exists. Trees alone cut scores into steps: with few documents
// they lose the order of uncertain tokens, which thresholds at a high recall depend on.
type stage struct {
	blend blend.Weights // of the base learners
	trees *boost.Model
}

// fitBlend blends the base learners from their mean. Its numbers are bounded, so that a
// model file takes them.
func fitBlend(said [][]float64, y []bool) blend.Weights {
	w := blend.Fit(said, y, blend.Mean(len(said)))
	for k := range w {
		w[k] = min(max(w[k], -mostBlend), mostBlend)
	}
	return w
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
