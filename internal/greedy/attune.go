// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"hide/internal/annotate"
	"slices"
)

// Attuner is a [Classifier] that learns, without labels, from documents to be
// published what is otherwise there than in training.
type Attuner interface {
	Classifier
	// Attune is the classifier for documents like the views, and r >= 1, by which it
	// raises all odds: with r = 1 it is the classifier itself. It returns ctx's error
	// soon after ctx ends.
	Attune(ctx context.Context, views []annotate.View) (Classifier, float64, error)
}

// Attuned is e for the publication of docs, whose annotation it does not look at:
// each [Attuner] that reads documents as they are is attuned to them. What e redacts
// is redacted still: a classifier that reads what others left, and may miss more in
// less text, reads what they leave without being attuned. Without docs it is e.
func (e Ensemble) Attuned(ctx context.Context, docs []annotate.Note) (Ensemble, error) {
	return newTuner(docs).attuned(ctx, e)
}

// Attune makes the classifiers of all choices [Ensemble.Attuned] and returns the
// largest factor by which odds were raised, 1 for none. What was counted and
// estimated stays: it is about documents like those annotated. After an error r is as
// it was.
func (r *Result) Attune(ctx context.Context, docs []annotate.Note) (float64, error) {
	t := newTuner(docs)
	attuned := make([]Ensemble, len(r.Choices))
	for i, c := range r.Choices {
		var err error
		if attuned[i], err = t.attuned(ctx, c.Classifiers); err != nil {
			return 1, err
		}
	}
	for i, e := range attuned {
		r.Choices[i].Classifiers = e
	}
	return t.most, nil
}

// tuner attunes each classifier once: values of L/C share them.
type tuner struct {
	views []annotate.View
	known map[Classifier]Classifier
	most  float64 // the largest factor so far
}

func newTuner(docs []annotate.Note) *tuner {
	return &tuner{views(docs, make([][]bool, len(docs))), map[Classifier]Classifier{}, 1}
}

// attuned puts attuned classifiers after those that read what others left. Where none
// follows they take the place of what they were, which marks nothing that they do not.
func (t *tuner) attuned(ctx context.Context, e Ensemble) (Ensemble, error) {
	out, more := slices.Clone(e), Ensemble(nil)
	for k, a := range e {
		h, can := a.Classifier.(Attuner)
		if !can || k > 0 && !a.Whole || len(t.views) == 0 {
			continue
		}
		attuned, err := t.attune(ctx, h)
		if err != nil {
			return nil, err
		}
		switch a.Classifier = attuned; {
		case attuned == Classifier(h):
		case slices.ContainsFunc(e[k+1:], func(later Accepted) bool { return !later.Whole }):
			a.Whole = true
			more = append(more, a)
		default:
			out[k] = a
		}
	}
	return append(out, more...), nil
}

func (t *tuner) attune(ctx context.Context, h Attuner) (Classifier, error) {
	if t.known[h] == nil {
		attuned, r, err := h.Attune(ctx, t.views)
		if err != nil {
			return nil, err
		}
		t.known[h], t.most = attuned, max(t.most, r)
	}
	return t.known[h], nil
}
