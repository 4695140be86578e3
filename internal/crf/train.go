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
func Train(ctx context.Context, docs []Doc, o Options) (*Model, Stats, error) {
	t, err := NewTrainer(o)
	if err != nil {
		return nil, Stats{}, err
	}
	t.single = true
	m, stats, err := t.Train(ctx, docs)
	if err == nil && o.L1 > 0 && anyLabel(docs) && stats.Weights > 0 && stats.Number == 0 && stats.Status == Converged {
		return nil, stats, fmt.Errorf("a penalty of %g on absolute weights leaves all of them 0: take a smaller one", o.L1)
	}
	return m, stats, err
}

// anyLabel reports whether there is a word to find: without one all weights stay 0
// whatever the penalty is.
func anyLabel(docs []Doc) bool {
	return slices.ContainsFunc(docs, func(d Doc) bool {
		return slices.ContainsFunc(d.Labels, func(l annotate.Label) bool { return l != "" })
	})
}

// prepared checks the documents' shape, samples their words and folds labels.
func prepared(docs []Doc, o Options) ([]Doc, error) {
	out, tokens := make([]Doc, len(docs)), 0
	for i, d := range docs {
		if len(d.Labels) != 0 && len(d.Labels) != len(d.Words) || len(d.Begins) != 0 && len(d.Begins) != len(d.Labels) {
			return nil, fmt.Errorf("document %d has %d words, %d labels and %d begins", i, len(d.Words), len(d.Labels), len(d.Begins))
		}
		if d.Skip != nil && len(d.Skip) != len(d.Words) {
			return nil, fmt.Errorf("document %d has %d words and %d marks of what to skip", i, len(d.Words), len(d.Skip))
		}
		d.Skip = o.Sampling.Skips(d)
		if o.Binary {
			d = d.folded()
		}
		if len(d.Labels) == 0 {
			d.Labels, d.Begins = nil, nil
		}
		out[i] = d
		for t := range d.Words {
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
