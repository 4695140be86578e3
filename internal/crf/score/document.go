// SPDX-License-Identifier: Apache-2.0

package score

import (
	"slices"

	"hide/internal/annotate"
)

// Document is a document with the truth about it and what was said of it. Spans
// may come in any order; gold spans do not overlap.
type Document struct {
	Text      string
	Patient   string           // "" when unknown: the document is then a group of its own
	Tokens    []annotate.Token // of Text
	Gold      []annotate.Span
	Predicted []annotate.Suggestion
	Sensitive []float64 // probability of each token to be sensitive, or nil when nobody said
}

// NewDocument cuts a document into tokens. predicted and sensitive may be nil.
func NewDocument(a annotate.Annotated, predicted []annotate.Suggestion, sensitive []float64) Document {
	return Document{
		Text: a.Text, Patient: a.Patient, Tokens: annotate.Tokenize(a.Text),
		Gold: a.Spans, Predicted: predicted, Sensitive: sensitive,
	}
}

// sides are the two lists of spans to compare, sorted.
type sides struct{ gold, predicted []annotate.Span }

func (d Document) sides() sides {
	s := sides{gold: sorted(d.Gold), predicted: make([]annotate.Span, len(d.Predicted))}
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
func (d Document) labels(s sides) (gold, predicted []annotate.Label) {
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

func group(docs []Document) grouping {
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
