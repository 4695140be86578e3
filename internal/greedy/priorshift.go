// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"slices"

	"hide/internal/annotate"
)

// PriorCorrector is a [Classifier] that estimates, without labels, how the class shares
// in documents to be published differ from training.
type PriorCorrector interface {
	Classifier
	// CorrectPrior returns the classifier for documents like the views, and the factor r
	// >= 1 by which it raises all odds; with r = 1 it is unchanged. It returns ctx's
	// error soon after ctx ends.
	CorrectPrior(ctx context.Context, views []annotate.View) (Classifier, float64, error)
}

// PriorCorrected returns e for the publication of docs, whose annotation it does not
// read. Each [PriorCorrector] that reads original documents is corrected to them.
// Everything e redacts is still redacted: a classifier that reads what others left, and
// may miss more in less text, stays uncorrected. Without docs it is e.
func (e Ensemble) PriorCorrected(ctx context.Context, docs []annotate.Note) (Ensemble, error) {
	return newPriorCorrection(docs).ensemble(ctx, e)
}

// CorrectPrior makes the classifiers of all choices [Ensemble.PriorCorrected] and returns
// the largest factor by which odds were raised, 1 for none. Counts and estimates stay
// unchanged: they are about documents like the annotated ones. After an error r is
// unchanged.
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

// priorCorrection corrects each classifier once, because values of L/C share them.
type priorCorrection struct {
	views     []annotate.View
	corrected map[Classifier]Classifier
	largest   float64 // the largest factor so far
}

func newPriorCorrection(docs []annotate.Note) *priorCorrection {
	return &priorCorrection{views(docs, make([][]bool, len(docs))), map[Classifier]Classifier{}, 1}
}

// ensemble places corrected classifiers after those that read what others left. If none
// follows, they replace the originals, which mark nothing more.
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
