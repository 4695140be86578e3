// SPDX-License-Identifier: Apache-2.0

package score

import (
	"slices"

	"hide/internal/annotate"
)

// Prediction is a note, whose spans are the truth, with what a tagger predicted for
// it. Spans may come in any order; those of the note do not overlap. A note without a
// patient is a group of its own.
type Prediction struct {
	*annotate.Note
	Predicted   []annotate.Suggestion
	Probability []float64 // of each token to be sensitive, or nil when unknown
}

// sides are the two lists of spans to compare, sorted.
type sides struct{ gold, predicted []annotate.Span }

func (d Prediction) sides() sides {
	s := sides{gold: sorted(d.Spans), predicted: make([]annotate.Span, len(d.Predicted))}
	for i, p := range d.Predicted {
		s.predicted[i] = p.Span
	}
	slices.SortFunc(s.predicted, annotate.CompareSpans)
	return s
}

func sorted(spans []annotate.Span) []annotate.Span {
	return slices.SortedFunc(slices.Values(spans), annotate.CompareSpans)
}

// labels are those of each token, gold and predicted.
func (d Prediction) labels(s sides) (gold, predicted []annotate.Label) {
	gold, _ = annotate.TokenLabels(d.Tokens, s.gold)
	predicted, _ = annotate.TokenLabels(d.Tokens, s.predicted)
	return gold, predicted
}

// grouping numbers the groups of documents: patients, and documents without one.
type grouping struct {
	of       []int // of each document
	count    int
	patients int
}

func group(docs []Prediction) grouping {
	g := grouping{of: make([]int, len(docs))}
	known := map[string]int{}
	for i, d := range docs {
		at, again := known[d.Patient]
		if d.Patient == "" || !again {
			at = g.count
			g.count++
		}
		if d.Patient != "" {
			known[d.Patient] = at
		}
		g.of[i] = at
	}
	g.patients = len(known)
	return g
}
