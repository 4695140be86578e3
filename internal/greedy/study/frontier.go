// SPDX-License-Identifier: Apache-2.0

// Package study compares learners by their scores, measures what more documents are
// worth, and checks whether estimates hold.
//
//	scores, err := study.Score(ctx, study.Folds(docs, nil, 4, 1), learner, 2)
//	f := study.NewFrontier(docs, scores, []float64{.999, .99})
//	fewer := f.Against(other) // paired by document or patient, with standard errors
//
// A [Frontier] is the number of sensitive tokens that a learner misses when a given
// share of the other tokens is kept. Its thresholds are set on the documents that it
// counts, so methods are compared at equal utility; it is not a forecast.
//
// # Caveats
//
// Scores of several folds come from as many classifiers and are put into one order. The
// package does no I/O and reads no clock; equal inputs and seeds give equal results.
package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Point is what is missed when at least a share of the non-sensitive tokens is kept.
type Point struct {
	Kept         float64 // the requested share
	Above        float64 // tokens with a score above it are redacted
	OverRedacted int     // non-sensitive tokens redacted
	Missed       int     // sensitive tokens left
	Informative  int     // informative ones among them ([greedy.Informative])
	Spans        int     // spans with a token left
	Documents    int     // documents with one
}

// Frontier is a learner's trade-off between missed and kept tokens.
type Frontier struct {
	Points []Point
	Missed [][]float64 // sensitive tokens left, by point and by group in order of first appearance
}

// NewFrontier computes the points at the given shares kept, each from 0 to 1, from the
// scores of all tokens of docs. Equal scores are redacted together or not at all.
func NewFrontier(docs []annotate.Note, scores [][]float64, kept []float64) *Frontier {
	f := &Frontier{}
	group, groups := numbered(docs)
	others := ascending(docs, scores)
	for _, share := range kept {
		p := Point{Kept: share, Above: above(others, share)}
		left := make([]float64, groups)
		for i := range docs {
			left[group[i]] += float64(p.add(&docs[i], scores[i]))
		}
		f.Points, f.Missed = append(f.Points, p), append(f.Missed, left)
	}
	return f
}

// numbered gives each document the number of its group, in order of first
// appearance, and how many there are.
func numbered(docs []annotate.Note) (group []int, n int) {
	return greedy.Groups(docs, func(d annotate.Note) string { return d.Group })
}

// ascending are the scores of the non-sensitive tokens, lowest first.
func ascending(docs []annotate.Note, scores [][]float64) []float64 {
	var out []float64
	for i, d := range docs {
		for x, sensitive := range d.Sensitive {
			if !sensitive {
				out = append(out, scores[i][x])
			}
		}
	}
	slices.Sort(out)
	return out
}

// above is the highest score of the tokens that must be kept. If none must be kept, it is
// a number below every score, so that all sensitive tokens are redacted: a finite number,
// for JSON.
func above(others []float64, share float64) float64 {
	keep := int(math.Ceil(share*float64(len(others)) - 1e-9))
	if keep <= 0 {
		return -math.MaxFloat64
	}
	return others[min(keep, len(others))-1]
}

// add counts a document and returns how many sensitive tokens are missed in it.
func (p *Point) add(d *annotate.Note, scores []float64) int {
	left, spans := 0, map[int]bool{}
	for x, sensitive := range d.Sensitive {
		redacted := scores[x] > p.Above
		switch {
		case redacted && !sensitive:
			p.OverRedacted++
		case !redacted && sensitive:
			left++
			spans[d.SpanOf[x]] = true
			if greedy.Informative(d.Words[x]) {
				p.Informative++
			}
		}
	}
	p.Missed, p.Spans = p.Missed+left, p.Spans+len(spans)
	if left > 0 {
		p.Documents++
	}
	return left
}

// Difference is how many more sensitive tokens one method misses than another.
type Difference struct {
	More float64 // below 0 if it misses fewer
	// Error is the standard error of More for a sample of similar documents: sqrt(n *
	// s^2) with s^2 the variance of the n differences by group. It is NaN with fewer than
	// two groups.
	Error float64
	// Ratio is its number of misses divided by the other's; NaN if that is 0.
	Ratio float64
}

// Against compares f with the frontier of another learner on the same documents
// and shares: one difference by point.
func (f *Frontier) Against(other *Frontier) []Difference {
	out := make([]Difference, len(f.Points))
	for k := range f.Points {
		var differences []float64
		for g := range f.Missed[k] {
			differences = append(differences, f.Missed[k][g]-other.Missed[k][g])
		}
		more, deviation := sumAndError(differences)
		out[k] = Difference{more, deviation, math.NaN()}
		if n := other.Points[k].Missed; n > 0 {
			out[k].Ratio = float64(f.Points[k].Missed) / float64(n)
		}
	}
	return out
}

// sumAndError is the sum of n independent values and its standard error.
func sumAndError(values []float64) (sum, deviation float64) {
	for _, v := range values {
		sum += v
	}
	n := float64(len(values))
	if n < 2 {
		return sum, math.NaN()
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - sum/n) * (v - sum/n)
	}
	return sum, math.Sqrt(n * squares / (n - 1))
}

// Plan says what is trained on and what is scored: by part, two lists of documents. Each
// scored document is in one part.
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

// Fewer is the plan with a share of the groups of each part to train on, at least one.
// For the same seed, smaller shares are subsets of larger ones.
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

// Score trains a learner on each part and scores the unredacted documents of the plan:
// P(sensitive) by document and token. The documents of a part are scored together. At
// most workers trainings run at a time.
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
