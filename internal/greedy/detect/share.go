// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"
	"math"
	"runtime"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/parallel"
)

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
