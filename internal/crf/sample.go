// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math/rand/v2"
	"slices"
)

// A training from nothing spends a third of its evaluations or more on what any part
// of the corpus would have told: that most words are O, which shapes and neighbours
// names have. So it begins with a sample of the documents, and takes all of them from
// where that leads (Byrd, Chin, Nocedal and Wu 2012 let a sample grow so). The
// penalty is the whole's, not a share of it: the sample says least of rare attributes,
// and what is too small is mended faster than what is too large. Attributes that the
// sample lacks begin with 0.
const (
	sampleShare  = 8    // the sample has one in eight tokens
	sampleTokens = 8000 // that a sample has at least: training on fewer than eight times as many takes half a second
	sampleDocs   = 20   // with fewer documents a sample is not like the others
	sampleEnough = 0.5  // it ends when ten iterations improve the objective by less than this share
)

// draw is documents at random that have a share of the tokens, in order.
func (d *dataset) draw() []int {
	order, tokens := rand.New(rand.NewPCG(sampleShare, 0)).Perm(len(d.docs)-1), int32(0)
	for i, doc := range order {
		if tokens += d.docs[doc+1] - d.docs[doc]; int(tokens) >= len(d.gold)/sampleShare {
			order = order[:i+1]
			break
		}
	}
	slices.Sort(order)
	return order
}

// foretaste moves w from nothing to about the optimum of a sample, or reports that it
// would not pay. p is the pass over all documents.
func (f *fitting) foretaste(ctx context.Context, p *pass[float32], w []float32) (bool, error) {
	o := f.options
	if !f.cold || o.L1 > 0 || len(f.data.gold) < sampleShare*sampleTokens {
		return false, nil
	}
	docs := f.data.draw()
	if len(docs) < sampleDocs {
		return false, nil
	}
	defer o.Trace.sample()()
	e, err := f.data.excerpt(ctx, docs, p.frozen, o.Workers)
	if err != nil {
		return false, err
	}
	m := minimizer[float32]{
		evaluate: newPass[float32](e.dataset, o).evaluate, memory: o.memory(e.weights()), limit: o.MaxIterations, tolerance: sampleEnough, workers: o.Workers,
	}
	x := make([]float32, e.weights())
	_, err = m.minimize(ctx, x)
	for i, v := range x {
		w[e.weightOf[i]] = v
	}
	return true, err
}
