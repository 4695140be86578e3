// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Plan says what is trained on and what is scored: by part, two lists of
// documents. Each document that is scored is in one part.
type Plan struct {
	Docs  []annotate.Note // scored
	Parts []Part
}

// Part is one training.
type Part struct {
	Learn []annotate.Note
	Score []int // indices into Docs of the plan
}

// Folds is the plan of [greedy.Experiment]: with test, all of docs are trained on
// and test is scored; without, docs are dealt into folds, groups kept whole.
func Folds(docs, test []annotate.Note, folds int, seed uint64) Plan {
	if test != nil {
		all := make([]int, len(test))
		for i := range all {
			all[i] = i
		}
		return Plan{test, []Part{{docs, all}}}
	}
	fold, n := greedy.PublishFolds(docs, folds, seed)
	p := Plan{docs, make([]Part, n)}
	for f := range n {
		for i, d := range docs {
			if fold[i] == f {
				p.Parts[f].Score = append(p.Parts[f].Score, i)
			} else {
				p.Parts[f].Learn = append(p.Parts[f].Learn, d)
			}
		}
	}
	return p
}

// Fewer is the plan with a share of the groups of each part to train on, at least
// one. Of the same seed, smaller shares are of larger ones.
func (p Plan) Fewer(share float64, seed uint64) Plan {
	out := Plan{p.Docs, make([]Part, len(p.Parts))}
	for f, part := range p.Parts {
		group, n := numbered(part.Learn)
		place := rand.New(rand.NewPCG(seed, uint64(f))).Perm(n)
		keep := max(1, int(math.Round(share*float64(n))))
		out.Parts[f].Score = part.Score
		for i, d := range part.Learn {
			if place[group[i]] < keep {
				out.Parts[f].Learn = append(out.Parts[f].Learn, d)
			}
		}
	}
	return out
}

// Training is how many documents a part trains on, the mean.
func (p Plan) TrainedOn() float64 {
	n := 0
	for _, part := range p.Parts {
		n += len(part.Learn)
	}
	return float64(n) / float64(len(p.Parts))
}

// Score trains a learner on each part and scores the documents of the plan, as
// they are, with nothing redacted: P(sensitive) by document and token. Those of a
// part are scored together. At most workers trainings run at a time.
func Score(ctx context.Context, p Plan, l greedy.Learner, workers int) ([][]float64, error) {
	scores := make([][]float64, len(p.Docs))
	err := greedy.Parallel(ctx, workers, len(p.Parts), func(ctx context.Context, f int) error {
		part := p.Parts[f]
		h, err := greedy.Fit(ctx, l, annotate.Views(part.Learn))
		if err != nil {
			return fmt.Errorf("part %d: %w", f, err)
		}
		views := make([]annotate.View, len(part.Score))
		for k, i := range part.Score {
			views[k] = annotate.View{Note: &p.Docs[i]}
		}
		for k, said := range greedy.ScoreAll(h, views) {
			scores[part.Score[k]] = said
		}
		return ctx.Err()
	})
	return scores, err
}

// bare are documents with nothing redacted.
