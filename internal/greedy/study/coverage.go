// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Drawn is the expectation for a publication, and what remained in it.
type Drawn struct {
	LC       float64
	Expected greedy.Estimate // missed tokens, estimated from the training half
	Missed   float64         // missed tokens in the other half, as published
	Measured float64         // by the classifiers of Expected: in default mode, before their prior-shift correction
}

// Draw trains on a random half of the documents, groups kept whole, publishes the other,
// and compares the missed PHI with the expectation: one result per L/C. In paper mode the
// expectation is the one on held-out documents, if there is one. p is as for
// [greedy.Sanitize]; number decides the draw.
func Draw(ctx context.Context, docs []annotate.Note, p greedy.Params, number uint64) ([]Drawn, error) {
	learn, publish := halves(docs, p.Seed+number)
	r, err := greedy.Sanitize(ctx, learn, p, nil)
	if err != nil {
		return nil, fmt.Errorf("draw %d: %w", number, err)
	}
	measured, err := missedBy(ctx, r.Choices, publish)
	if err != nil {
		return nil, err
	}
	expected := expectedOf(r, learn, publish)
	if err := correctPrior(ctx, r, publish); err != nil {
		return nil, fmt.Errorf("draw %d: %w", number, err)
	}
	published, err := missedBy(ctx, r.Choices, publish)
	if err != nil {
		return nil, err
	}
	out := make([]Drawn, len(r.Choices))
	for i, c := range r.Choices {
		out[i] = Drawn{c.LC, expected[i], published[i], measured[i]}
	}
	return out, nil
}

// expectedOf is the expected missed PHI of each choice in the publication.
func expectedOf(r *greedy.Result, learn, publish []annotate.Note) []greedy.Estimate {
	_, n := numbered(learn)
	_, m := numbered(publish)
	out := make([]greedy.Estimate, len(r.Choices))
	for i, c := range r.Choices {
		out[i] = c.Outcome.Unseen().Residual.Times(float64(m) / float64(n))
	}
	return out
}

// correctPrior applies the prior-shift correction of default mode.
func correctPrior(ctx context.Context, r *greedy.Result, publish []annotate.Note) error {
	if r.Mode != greedy.Default {
		return nil
	}
	_, err := r.CorrectPrior(ctx, publish)
	return err
}

// missedBy is the missed PHI of each choice.
func missedBy(ctx context.Context, choices []greedy.Choice, publish []annotate.Note) ([]float64, error) {
	out := make([]float64, len(choices))
	for i, c := range choices {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = float64(sum(missedIn(publish, c.Classifiers.RedactAll(publish))))
	}
	return out, nil
}

// halves deals groups into two.
func halves(docs []annotate.Note, seed uint64) (learn, publish []annotate.Note) {
	names := make([]string, len(docs))
	for i, d := range docs {
		names[i] = d.Group
	}
	half, _ := greedy.Deal(names, 2, seed)
	for i, d := range docs {
		if half[i] == 0 {
			learn = append(learn, d)
		} else {
			publish = append(publish, d)
		}
	}
	return learn, publish
}

// missedIn counts the missed tokens of each document.
func missedIn(docs []annotate.Note, masks [][]bool) []int {
	out := make([]int, len(docs))
	for i := range docs {
		for x, sensitive := range docs[i].Sensitive {
			if sensitive && !masks[i][x] {
				out[i]++
			}
		}
	}
	return out
}

func sum(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// Coverage says how often expectations held.
type Coverage struct {
	LC       float64
	Draws    int
	Expected float64 // mean
	Width    float64 // of the interval, mean
	Held             // of the publication
	Measured Held    // of the same before the prior-shift correction
}

// Held counts how often the missed PHI was as expected.
type Held struct {
	Covered int     // the interval held it
	AtMost  int     // it was no more than the bound
	Missed  float64 // mean
}

// add counts one of n draws.
func (h *Held) add(e greedy.Estimate, left, n float64) {
	if e.Low <= left && left <= e.High {
		h.Covered++
	}
	if left <= e.AtMost {
		h.AtMost++
	}
	h.Missed += left / n
}

// Cover sums draws up by L/C, in order of the first draw.
func Cover(draws [][]Drawn) []Coverage {
	var out []Coverage
	n := float64(len(draws))
	for k := range len(draws[0]) {
		c := Coverage{LC: draws[0][k].LC, Draws: len(draws)}
		for _, d := range draws {
			e := d[k].Expected
			c.Held.add(e, d[k].Missed, n)
			c.Measured.add(e, d[k].Measured, n)
			c.Expected, c.Width = c.Expected+e.Value/n, c.Width+(e.High-e.Low)/n
		}
		out = append(out, c)
	}
	return out
}
