// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"hide/internal/annotate"
	"slices"
)

// PriorCorrector is a [Classifier] that learns, without labels, from documents to be
// published what is otherwise there than in training.
type PriorCorrector interface {
	Classifier
	// CorrectPrior is the classifier for documents like the views, and r >= 1, by which it
	// raises all odds: with r = 1 it is the classifier itself. It returns ctx's error
	// soon after ctx ends.
	CorrectPrior(ctx context.Context, views []annotate.View) (Classifier, float64, error)
}

// PriorCorrected is e for the publication of docs, whose annotation it does not look at:
// each [PriorCorrector] that reads documents as they are is corrected to them. What e redacts
// is redacted still: a classifier that reads what others left, and may miss more in
// less text, reads what they leave without being corrected. Without docs it is e.
func (e Ensemble) PriorCorrected(ctx context.Context, docs []annotate.Note) (Ensemble, error) {
	return newPriorCorrection(docs).ensemble(ctx, e)
}

// CorrectPrior makes the classifiers of all choices [Ensemble.PriorCorrected] and returns the
// largest factor by which odds were raised, 1 for none. What was counted and
// estimated stays: it is about documents like those annotated. After an error r is as
// it was.
func (r *Result) CorrectPrior(ctx context.Context, docs []annotate.Note) (float64, error) {
	t := newPriorCorrection(docs)
	attuned := make([]Ensemble, len(r.Choices))
	for i, c := range r.Choices {
		var err error
		if attuned[i], err = t.ensemble(ctx, c.Classifiers); err != nil {
			return 1, err
		}
	}
	for i, e := range attuned {
		r.Choices[i].Classifiers = e
	}
	return t.largest, nil
}

// priorCorrection corrects each classifier once: values of L/C share them.
type priorCorrection struct {
	views     []annotate.View
	corrected map[Classifier]Classifier
	largest   float64 // the largest factor so far
}

func newPriorCorrection(docs []annotate.Note) *priorCorrection {
	return &priorCorrection{views(docs, make([][]bool, len(docs))), map[Classifier]Classifier{}, 1}
}

// ensemble puts corrected classifiers after those that read what others left. Where none
// follows they take the place of what they were, which marks nothing that they do not.
func (t *priorCorrection) ensemble(ctx context.Context, e Ensemble) (Ensemble, error) {
	out, more := slices.Clone(e), Ensemble(nil)
	for k, a := range e {
		h, can := a.Classifier.(PriorCorrector)
		if !can || k > 0 && !a.Whole || len(t.views) == 0 {
			continue
		}
		attuned, err := t.classifier(ctx, h)
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

func (t *priorCorrection) classifier(ctx context.Context, h PriorCorrector) (Classifier, error) {
	if t.corrected[h] == nil {
		attuned, r, err := h.CorrectPrior(ctx, t.views)
		if err != nil {
			return nil, err
		}
		t.corrected[h], t.largest = attuned, max(t.largest, r)
	}
	return t.corrected[h], nil
}
