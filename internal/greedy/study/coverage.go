// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"fmt"

	"hide/internal/greedy"
)

// Drawn is what was expected of a publication, and what it left.
type Drawn struct {
	LC       float64
	Expected greedy.Estimate // sensitive tokens left, from the half that was learnt from
	Left     float64         // in the other half
}

// Draw learns from a random half of the documents, groups kept whole, publishes the
// other, and compares what it leaves with what was expected: one result per L/C. In
// paper mode the expectation is that of documents held out, when there is one. p is
// as for [greedy.Sanitize]; number decides the draw.
func Draw(ctx context.Context, docs []greedy.Doc, p greedy.Params, number uint64) ([]Drawn, error) {
	learn, publish := halves(docs, p.Seed+number)
	r, err := greedy.Sanitize(ctx, learn, p, nil)
	if err != nil {
		return nil, fmt.Errorf("draw %d: %w", number, err)
	}
	_, n := numbered(learn)
	_, m := numbered(publish)
	out := make([]Drawn, len(r.Choices))
	for i, c := range r.Choices {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o := c.Outcome
		if o.HeldOut != nil {
			o = *o.HeldOut
		}
		out[i] = Drawn{c.LC, o.Residual.Times(float64(m) / float64(n)), left(publish, c.Classifiers.RedactAll(publish))}
	}
	return out, nil
}

// halves deals groups into two.
func halves(docs []greedy.Doc, seed uint64) (learn, publish []greedy.Doc) {
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

func left(docs []greedy.Doc, masks [][]bool) float64 {
	n := 0.0
	for i := range docs {
		for x, sensitive := range docs[i].Sensitive {
			if sensitive && !masks[i][x] {
				n++
			}
		}
	}
	return n
}

// Coverage says how often expectations held.
type Coverage struct {
	LC       float64
	Draws    int
	Covered  int     // the interval held what was left
	AtMost   int     // no more was left than the bound
	Expected float64 // mean
	Left     float64 // mean
	Width    float64 // of the interval, mean
}

// Cover sums draws up by L/C, in order of the first draw.
func Cover(draws [][]Drawn) []Coverage {
	var out []Coverage
	for k := range len(draws[0]) {
		c := Coverage{LC: draws[0][k].LC, Draws: len(draws)}
		for _, d := range draws {
			e, n := d[k].Expected, float64(len(draws))
			if e.Low <= d[k].Left && d[k].Left <= e.High {
				c.Covered++
			}
			if d[k].Left <= e.AtMost {
				c.AtMost++
			}
			c.Expected, c.Left, c.Width = c.Expected+e.Value/n, c.Left+d[k].Left/n, c.Width+(e.High-e.Low)/n
		}
		out = append(out, c)
	}
	return out
}
