// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"slices"
)

// The second pass (Krishnan and Manning, ACL 2006, section 3). A first model gives
// each token its probabilities; a second one reads, beside all that the first one
// read, what that says of the same word in other places. It has to learn from what
// a first model says of documents it has not seen, for so it will be used: the
// training documents are cross-fitted.

const (
	crossFits      = 3    // models that the training documents are cross-fitted with
	roughTolerance = 0.01 // of those models: their probabilities go into coarse buckets
	roughLimit     = 50   // iterations
)

// firstPass trains the first model, and lets each document hear what models say
// that did not see it or others of its group.
func (t *Trainer) firstPass(ctx context.Context, docs []sequence) (*Model, []sequence, error) {
	o := t.options
	o.Features &^= Consistency
	o.Progress, o.Intermediate, o.Trace = t.Progress, nil, Trace{}
	first, err := t.readFirst(ctx, docs, o)
	if err != nil {
		return nil, nil, err
	}
	o.Progress, o.Warm = nil, nil
	o.Tolerance, o.MaxIterations, o.Polish = max(o.Tolerance, roughTolerance), min(o.MaxIterations, roughLimit), false
	said := make([][][]float64, len(docs))
	groups := grouped(docs)
	for fold := range min(crossFits, len(groups)) {
		if err := first.crossFit(ctx, docs, groups, fold, o, said); err != nil {
			return nil, nil, err
		}
	}
	return first, told(docs, said), nil
}

// readFirst trains the first model, from where it was when t last trained. The models
// of the folds begin anew each time: documents change their folds as others come, and a
// model would remember what it must not have seen.
func (t *Trainer) readFirst(ctx context.Context, docs []sequence, o Options) (m *Model, err error) {
	if t.single {
		m, _, err = trainOn(ctx, docs, o)
		return m, err
	}
	if t.before == nil {
		if t.before, err = NewTrainer(o); err != nil {
			return nil, err
		}
	}
	t.before.Progress = o.Progress
	m, _, err = t.before.trainOn(ctx, docs)
	return m, err
}

// crossFit lets a model of the other folds say something of the documents in one.
func (m *Model) crossFit(ctx context.Context, docs []sequence, groups [][]int, fold int, o Options, said [][][]float64) error {
	var kept []sequence
	var held []int
	for g, group := range groups {
		if g%crossFits == fold {
			held = append(held, group...)
			continue
		}
		for _, i := range group {
			kept = append(kept, docs[i])
		}
	}
	says, err := m.rough(ctx, kept, o)
	if err != nil {
		return err
	}
	for _, i := range held {
		if err := ctx.Err(); err != nil {
			return err
		}
		said[i] = says(docs[i])
	}
	return nil
}

// rough is what a model of some of the documents says of another. Where they teach
// nothing, nothing is sensitive to it: m would say what it has seen.
func (m *Model) rough(ctx context.Context, docs []sequence, o Options) (says func(sequence) [][]float64, err error) {
	if len(labelsOf(docs)) == 0 {
		return func(d sequence) [][]float64 {
			return slices.Repeat([][]float64{make([]float64, len(m.states.labels))}, len(d.words))
		}, nil
	}
	rough, _, err := trainOn(ctx, docs, o)
	return func(d sequence) [][]float64 { return rough.marginalsBy(m.states.labels, d) }, err
}

// told are the documents with what they hear.
func told(docs []sequence, said [][][]float64) []sequence {
	out := make([]sequence, len(docs))
	for i, heard := range hear(docs, said) {
		out[i] = docs[i]
		out[i].heard = heard
	}
	return out
}

// hears is d, with what it hears of its own words if it was not told before.
func (m *Model) hears(d sequence) sequence {
	if m.first == nil || d.heard != nil {
		return d
	}
	return told([]sequence{d}, [][][]float64{m.first.marginalsBy(m.first.states.labels, d)})[0]
}
