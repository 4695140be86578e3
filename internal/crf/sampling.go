// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"hide/internal/crf/sampling"
)

// Sampling says which words training uses, and how often.
type Sampling = sampling.Sampling

// ParseSampling parses the text of a sampling.
func ParseSampling(text string) (Sampling, error) { return sampling.Parse(text) }

// sampled returns the documents with the words that a sampling leaves out, and the copies
// of documents that it draws.
func sampled(docs []sequence, s Sampling) ([]sequence, error) {
	out, read := slices.Clone(docs), make([]sampling.Document, len(docs))
	for i, d := range docs {
		if d.skip != nil && len(d.skip) != len(d.words) {
			return nil, fmt.Errorf("document %d has %d words and %d skip marks", i, len(d.words), len(d.skip))
		}
		if read[i] = (sampling.Document{Words: d.words, Labels: d.labels, Begins: d.begins, Skip: d.skip}); s.Times == 0 {
			out[i].skip = s.Rejects(read[i])
		}
	}
	if s.Times == 0 {
		return out, nil
	}
	copies, err := s.Draw(read)
	for i, skips := range copies {
		out[i].skip, out[i].again = skips[0], skips[1:]
	}
	return out, err
}

// repeated lists documents with their copies. Copies are made after features have been
// extracted: a copy is not another note in which a word occurs.
func repeated(docs []sequence, seen []*occurrences) (out []sequence, all []*occurrences) {
	for i, d := range docs {
		out, all = append(out, d), append(all, seen[i])
		for _, skip := range d.again {
			d.skip = skip
			out, all = append(out, d), append(all, seen[i])
		}
	}
	return out, all
}

// A training from zero weights spends a third of its evaluations or more on what any
// part of the corpus shows: that most words are O, which shapes and neighbours names
// have. So it starts on a sample of the documents, and continues from that result on
// all of them (Byrd, Chin, Nocedal and Wu 2012 increase the sample gradually). The
// sample uses the full penalty, not a share of it: it has little data on rare
// attributes, and too small weights are corrected faster than too large ones.
// Attributes that are not in the sample start at 0.
const (
	sampleShare  = 8    // the sample has one in eight tokens
	sampleTokens = 8000 // minimum size of a sample: training on fewer than eight times as many takes half a second
	sampleDocs   = 20   // with fewer documents a sample is not representative
	sampleEnough = 0.5  // it ends if ten iterations improve the objective by less than this share
)

// draw returns random documents with the sample's share of the tokens, in order.
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

// foretaste moves w from zero to about the optimum of a sample. It returns false if
// that would not pay. p is the pass over all documents.
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
