// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
)

// ErrNothing is returned when the training documents hold no token.
var ErrNothing = errors.New("nothing to learn from")

// Train fits a model to labelled documents. Cancelling ctx ends it within 100 ms
// with ctx's error. A panic in a worker comes back as an error that says where.
// The model does not depend on the number of workers.
func Train(ctx context.Context, views []annotate.View, o Options) (*Model, Stats, error) {
	return trainOn(ctx, labelledAll(views), o)
}

func trainOn(ctx context.Context, docs []sequence, o Options) (*Model, Stats, error) {
	t, err := NewTrainer(o)
	if err != nil {
		return nil, Stats{}, err
	}
	t.single = true
	m, stats, err := t.trainOn(ctx, docs)
	if err == nil && o.L1 > 0 && anyLabel(docs) && stats.Weights > 0 && stats.Number == 0 && stats.Status == Converged {
		return nil, stats, fmt.Errorf("a penalty of %g on absolute weights leaves all of them 0: take a smaller one", o.L1)
	}
	return m, stats, err
}

// anyLabel reports whether there is a word to find: without one all weights stay 0
// whatever the penalty is.
func anyLabel(docs []sequence) bool {
	return slices.ContainsFunc(docs, func(d sequence) bool {
		return slices.ContainsFunc(d.labels, func(l annotate.Label) bool { return l != "" })
	})
}

// prepared checks the documents' shape, samples their words and folds labels.
func prepared(docs []sequence, o Options) ([]sequence, error) {
	out, tokens := make([]sequence, len(docs)), 0
	for i, d := range docs {
		if d.skip != nil && len(d.skip) != len(d.words) {
			return nil, fmt.Errorf("document %d has %d words and %d marks of what to skip", i, len(d.words), len(d.skip))
		}
		d.skip = o.Sampling.skips(d)
		if o.Binary {
			d = d.folded()
		}
		if len(d.labels) == 0 {
			d.labels, d.begins = nil, nil
		}
		out[i] = d
		for t := range d.words {
			if !d.skips(t) {
				tokens++
			}
		}
	}
	if tokens == 0 {
		return nil, ErrNothing
	}
	if labels := labelsOf(out); len(labels) > MaxLabels {
		return nil, fmt.Errorf("%d labels, at most %d", len(labels), MaxLabels)
	}
	return out, nil
}
