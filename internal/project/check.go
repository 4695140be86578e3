// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
)

// tally counts tokens of one document: found sensitive, found in vain, missed.
type tally struct{ tp, fp, fn float64 }

// crossValidate tags each document by a model that saw no document of its
// patient and scores what it finds, token by token, whatever the label.
func crossValidate(ctx context.Context, c corpus, docs []crf.Doc) (Scores, error) {
	fold := foldByGroup(c, checkFolds)
	var tallies []tally
	random := c.randomly() >= minRandom
	for f := range checkFolds {
		var seen []crf.Doc
		for i := range docs {
			if fold[i] != f {
				seen = append(seen, docs[i])
			}
		}
		model, _, err := crf.Train(ctx, seen, crf.Options{MaxIterations: checkIterations})
		if err != nil {
			return Scores{}, fmt.Errorf("check fold %d of %d: %w", f+1, checkFolds, err)
		}
		for i := range docs {
			if fold[i] == f && (c.random[i] || !random) {
				tallies = append(tallies, count(model, docs[i]))
			}
		}
	}
	return Scores{
		Precision: bootstrap(tallies, func(t tally) (float64, float64) { return t.tp, t.tp + t.fp }),
		Recall:    bootstrap(tallies, func(t tally) (float64, float64) { return t.tp, t.tp + t.fn }),
		Folds:     checkFolds, Documents: len(tallies), Random: random,
	}, nil
}

// foldByGroup deals the groups out in an order drawn once and for all, so that
// checks of growing sets stay comparable.
func foldByGroup(c corpus, folds int) []int {
	number := map[string]int{}
	for _, d := range c.docs {
		if _, seen := number[d.Group()]; !seen {
			number[d.Group()] = len(number)
		}
	}
	place := rand.New(rand.NewPCG(1, 1)).Perm(len(number))
	out := make([]int, len(c.docs))
	for i, d := range c.docs {
		out[i] = place[number[d.Group()]] % folds
	}
	return out
}

func count(model *crf.Model, d crf.Doc) tally {
	var t tally
	for i, found := range marked(model, d) {
		switch is := d.Labels[i] != ""; {
		case found && is:
			t.tp++
		case found:
			t.fp++
		case is:
			t.fn++
		}
	}
	return t
}

// marked says which tokens lie in a span that the model would suggest.
func marked(model *crf.Model, d crf.Doc) []bool {
	out := make([]bool, len(d.Words))
	for _, s := range model.Tag(d) {
		from, to := annotate.Covered(d.Tokens, s.Span)
		for i := from; i < to; i++ {
			out[i] = true
		}
	}
	return out
}

const checkResamples = 500

// bootstrap is the share of part in whole over all documents, with the 2.5 % and
// 97.5 % quantiles over resampled documents. An empty whole makes a share of 1.
func bootstrap(tallies []tally, of func(tally) (part, whole float64)) greedy.Estimate {
	random := rand.New(rand.NewPCG(2, 2))
	shares := make([]float64, checkResamples)
	for r := range shares {
		shares[r] = shareOf(of, func(yield func(tally) bool) {
			for range tallies {
				if !yield(tallies[random.IntN(len(tallies))]) {
					return
				}
			}
		})
	}
	slices.Sort(shares)
	return greedy.Estimate{
		Value: shareOf(of, slices.Values(tallies)),
		Low:   shares[checkResamples/40], High: shares[checkResamples-1-checkResamples/40],
	}
}

func shareOf(of func(tally) (part, whole float64), tallies func(func(tally) bool)) float64 {
	var part, whole float64
	for t := range tallies {
		p, w := of(t)
		part, whole = part+p, whole+w
	}
	if whole == 0 {
		return 1
	}
	return part / whole
}
