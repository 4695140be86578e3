// SPDX-License-Identifier: Apache-2.0

package greedy

import "slices"

// Attuner is a [Classifier] that learns, without labels, from documents to be
// published what is otherwise there than in training.
type Attuner interface {
	Classifier
	// Attune is the classifier for documents like the views, or the classifier itself.
	Attune(views []View) Classifier
}

// Attuned is e for the publication of docs, whose annotation it does not look at:
// each [Attuner] that reads documents as they are is attuned to them. Without docs it
// is e.
func (e Ensemble) Attuned(docs []Doc) Ensemble { return newTuner(docs).attuned(e) }

// Attune makes the classifiers of all choices [Ensemble.Attuned]. What was counted and
// estimated stays: it is about documents like those annotated.
func (r *Result) Attune(docs []Doc) {
	t := newTuner(docs)
	for i := range r.Choices {
		r.Choices[i].Classifiers = t.attuned(r.Choices[i].Classifiers)
	}
}

// tuner attunes each classifier once: values of L/C share them.
type tuner struct {
	views []View
	known map[Classifier]Classifier
}

func newTuner(docs []Doc) tuner {
	return tuner{views(docs, make([][]bool, len(docs))), map[Classifier]Classifier{}}
}

func (t tuner) attuned(e Ensemble) Ensemble {
	out := slices.Clone(e)
	for k, a := range e {
		h, can := a.Classifier.(Attuner)
		if !can || k > 0 && !a.Whole || len(t.views) == 0 {
			continue
		}
		if t.known[h] == nil {
			t.known[h] = h.Attune(t.views)
		}
		out[k].Classifier = t.known[h]
	}
	return out
}
