// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
)

// In documents of another kind the second stage is wrong more often than the mean of the base
// learners, which knows less. How many words are new tells how much to trust it. With the
// share v of words that count nothing, and v0 in training documents by encoders that did not
// see them, what is new is
//
//	e = (v - v0) / (1 - v0).
//
// Up to noveltyLeast the second stage is trusted wholly, from noveltyMost on half. Measured on
// pairs of corpora: docs/results.md, "Other institutions".
const (
	noveltyLeast = 0.08
	noveltyMost  = 0.16
	leastTrust   = 0.5
)

var _ greedy.Wary = (*Classifier)(nil)

// Wary implements [greedy.Wary]. Trust is 1 without a second stage.
func (c *Classifier) Wary(ctx context.Context, views []annotate.View) (greedy.Classifier, float64, error) {
	if c.second == nil {
		return c, 1, ctx.Err()
	}
	unknown, words := 0.0, 0.0
	for _, v := range views {
		if err := ctx.Err(); err != nil {
			return nil, 1, err
		}
		c.encoder.Describe(v, func(x boost.Matrix) {
			unknown += sum(x[dense.Flags()[dense.NoveltyFlag()]])
			words += float64(len(v.Words))
		})
	}
	out := *c
	if out.trust = trustAt(unknown/max(1, words), c.usual); out.trust == c.trust {
		return c, c.trust, nil
	}
	return &out, out.trust, nil
}

// trustAt is the trust in the second stage where a share v of the words is new.
func trustAt(v, usual float64) float64 {
	e := (v - usual) / max(1-usual, 1e-9) // in training every word may be new
	return 1 - (1-leastTrust)*min(max((e-noveltyLeast)/(noveltyMost-noveltyLeast), 0), 1)
}

// usualNovelty is the share of the words of documents that is new to the base learners that
// scored them.
func usualNovelty(docs []*evidence) float64 {
	unknown, words := 0.0, 0.0
	for _, d := range docs {
		unknown += sum(d.flags[dense.NoveltyFlag()])
		words += float64(len(d.Words))
	}
	return unknown / max(1, words)
}

func sum(x []float32) float64 {
	total := 0.0
	for _, v := range x {
		total += float64(v)
	}
	return total
}
