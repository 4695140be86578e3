// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Run links records. The error is of the configuration or of ctx; records of any content give
// a result.
func Run(ctx context.Context, records *Records, config Config, options Options) (*Result, error) {
	if err := config.Validate(records.fields); err != nil {
		return nil, err
	}
	e := newEngine(records, config)
	e.workers = max(options.Workers, 1)
	rules, err := e.makeBlocks(ctx)
	if err != nil {
		return nil, err
	}
	x := newIndex(e, rules)
	samples, err := e.samples(ctx, x, options.Seed)
	if err != nil {
		return nil, err
	}
	rounds, err := e.train(ctx, samples)
	if err != nil {
		return nil, err
	}
	e.weigh()
	found, err := e.scorePairs(ctx, x, options.Progress)
	if err != nil {
		return nil, err
	}
	return e.result(ctx, found, rounds)
}

// result makes the result of the findings. Positions become numbers of records here.
func (e *engine) result(ctx context.Context, found *findings, rounds int) (*Result, error) {
	r := &Result{Records: len(e.at), Compared: found.compared, Rules: found.rules, Model: e.modelOf(rounds), engine: e, scorer: e.newScorer(math.Inf(-1))}
	r.Histogram = found.histogram()
	found.pairs = append(found.pairs, r.extraPairs()...)
	r.Errors = e.errorsOf(found)
	r.Pairs = found.pairs
	slices.SortFunc(r.Pairs, e.bestFirst)
	if err := r.group(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// bestFirst orders pairs by probability and weight, then by what the records hold.
func (e *engine) bestFirst(a, b Pair) int {
	return cmp.Or(
		cmp.Compare(b.Probability, a.Probability),
		cmp.Compare(b.Weight, a.Weight),
		cmp.Compare(min(e.at[a.A], e.at[a.B]), min(e.at[b.A], e.at[b.B])),
		cmp.Compare(max(e.at[a.A], e.at[a.B]), max(e.at[b.A], e.at[b.B])),
		a.A-b.A, a.B-b.B,
	)
}

// extraPairs pairs each record beyond MostCopies of equal ones with the last copy.
func (r *Result) extraPairs() []Pair {
	e := r.engine
	var pairs []Pair
	weight := 0.
	for i, record := range e.extras {
		at := e.at[record]
		if i == 0 || e.at[e.extras[i-1]] != at {
			_, weight, _ = r.scorer.score(at, at)
		}
		if p := probability(weight, e.prior); p >= e.config.Review {
			a, b := inOrder(int(e.order[at]), int(record))
			pairs = append(pairs, Pair{A: a, B: b, Weight: weight, Probability: p})
		}
	}
	return pairs
}

func inOrder(a, b int) (int, int) { return min(a, b), max(a, b) }

func (e *engine) modelOf(rounds int) Model {
	p := e.model
	m := Model{Prior: e.prior, Pairs: e.pairs, Matches: e.prior * e.pairs, Rounds: rounds}
	for f, field := range e.fields {
		fm := FieldModel{Field: field, Filled: float64(e.columns[f].filled) / float64(max(e.n, 1)), Held: p.held[f]}
		for l, name := range e.shape.levels[f] {
			fm.Levels = append(fm.Levels, LevelModel{Name: name, M: p.m[f][l], U: p.u[f][l], Weight: e.levelWeights[f][l]})
		}
		m.Fields = append(m.Fields, fm)
	}
	return m
}
