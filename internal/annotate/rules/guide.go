// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"maps"
	"slices"

	"hide/internal/annotate"
)

// Guide has counts from finished notes: the findings of each kind, and the labels that
// people gave them. The zero value has no counts.
type Guide map[Kind]Experience

// Experience has the counts of one kind in a [Guide].
type Experience struct {
	Found  int                    `json:"found"`  // findings in finished notes
	Labels map[annotate.Label]int `json:"labels"` // of these, how many overlap an annotation with the label
}

// Searched is a finished note with its findings.
type Searched struct {
	*annotate.Note
	Found []Finding // by [Find]
}

// Learn counts the labels that people gave to findings.
func Learn(finished []Searched) Guide {
	g := Guide{}
	for _, d := range finished {
		for _, f := range d.Found {
			e := g[f.Kind]
			if e.Labels == nil {
				e.Labels = map[annotate.Label]int{}
			}
			e.Found++
			if label, hit := labelAt(d.Spans, f); hit {
				e.Labels[label]++
			}
			g[f.Kind] = e
		}
	}
	return g
}

// labelAt is the label of the first span that overlaps f. Spans are in order.
func labelAt(spans []annotate.Span, f Finding) (annotate.Label, bool) {
	i, _ := slices.BinarySearchFunc(spans, f.Start, func(s annotate.Span, at annotate.ByteOff) int {
		return cmp.Compare(s.End, at+1)
	})
	if i == len(spans) || spans[i].Start >= f.End {
		return "", false
	}
	return spans[i].Label, true
}

// Prior counts of a kind, added to those of finished notes: findings, and right findings.
const (
	priorFound = 4
	priorRight = 3
)

// least is the share of right findings from which a kind is suggested: marking a span by
// hand costs less than refusing every second suggestion.
const least = 0.5

// Name is the project's label for a kind, and the share of findings that are right under
// it. ok is false when no label fits or the kind is mostly wrong.
func (g Guide) Name(kind Kind, labels annotate.LabelSet) (label annotate.Label, right float64, ok bool) {
	e, hits := g[kind], 0
	for _, l := range slices.Sorted(maps.Keys(e.Labels)) {
		if n := e.Labels[l]; n > hits && labels.Has(l) {
			label, hits = l, n
		}
	}
	if label == "" {
		i := slices.IndexFunc(usual[kind], labels.Has)
		if i < 0 {
			return "", 0, false
		}
		label = usual[kind][i]
	}
	right = float64(hits+priorRight) / float64(e.Found+priorFound)
	return label, right, right >= least
}

// Suggest gives findings under a project's labels, in their order. Their Score is the share
// of the kind's findings that were right. Their Model is 0, which no model has.
func (g Guide) Suggest(labels annotate.LabelSet, found []Finding) []annotate.Suggestion {
	var out []annotate.Suggestion
	for _, f := range found {
		if label, right, ok := g.Name(f.Kind, labels); ok {
			out = append(out, annotate.Suggestion{Span: annotate.Span{Start: f.Start, End: f.End, Label: label}, Score: right})
		}
	}
	return out
}

// Share counts the tokens of one label in one document, and those that the rules find.
type Share struct{ Found, All int }

// Recall counts, for each label, the tokens that people gave it and those of them that a
// suggestion of the rules covers under the same label: one [Share] for each document. It
// omits labels that nobody used. The documents may be those that g was trained on: g takes
// only label names from them.
func (g Guide) Recall(labels annotate.LabelSet, finished []Searched) map[annotate.Label][]Share {
	out := map[annotate.Label][]Share{}
	for i, d := range finished {
		found, _ := annotate.TokenLabels(d.Tokens, spansOf(g.Suggest(labels, d.Found)))
		for t, label := range d.Labels {
			if label == "" {
				continue
			}
			if out[label] == nil {
				out[label] = make([]Share, len(finished))
			}
			out[label][i].All++
			if found[t] == label {
				out[label][i].Found++
			}
		}
	}
	return out
}

func spansOf(suggestions []annotate.Suggestion) []annotate.Span {
	spans := make([]annotate.Span, len(suggestions))
	for i, s := range suggestions {
		spans[i] = s.Span
	}
	return spans
}
