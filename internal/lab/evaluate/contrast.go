// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
	"hide/internal/crf"
	"hide/internal/crf/score"
)

// contrastPrefix marks labels of text that need not be hidden.
const contrastPrefix = "NO_MASK-"

// masks reports whether text under a label is hidden.
func masks(l annotate.Label) bool { return !strings.HasPrefix(string(l), contrastPrefix) }

// Contrast adds the mentions of notes that need not be hidden, under labels of their own. A
// model trained on them sees the court and the country of every case as what they are: as
// plain text they would speak against courts and countries that must be hidden. Such labels
// mask nothing and are not scored. Mentions that overlap a span or each other are left out.
// Without documents the notes stay as they are.
func Contrast(notes []annotate.Annotated, documents []entities.Document) ([]annotate.Annotated, error) {
	if documents == nil {
		return notes, nil
	}
	byID := map[string]entities.Document{}
	for _, d := range documents {
		byID[d.ID] = d
	}
	out := slices.Clone(notes)
	for i := range out {
		d, ok := byID[out[i].Name]
		if !ok {
			return nil, fmt.Errorf("training note %d: the entities file has no record with its id", i+1)
		}
		var err error
		if out[i].Spans, err = contrasted(out[i], d); err != nil {
			return nil, fmt.Errorf("training note %d: %w", i+1, err)
		}
	}
	return out, nil
}

// contrasted returns the spans of a note together with its contrasting mentions.
func contrasted(note annotate.Annotated, d entities.Document) ([]annotate.Span, error) {
	spans, offsets := slices.Clone(note.Spans), annotate.NewOffsets(note.Text)
	if slices.ContainsFunc(spans, func(s annotate.Span) bool { return !masks(s.Label) }) {
		return nil, fmt.Errorf("a span has a label that begins with %s, as only mentions that mask nothing may", contrastPrefix)
	}
	for i, m := range d.Mentions {
		if m.Identifier.Hidden() {
			continue
		}
		s, err := offsets.Span(m.Start, m.End, contrastPrefix+m.Label)
		if err == nil {
			err = annotate.CheckLabel(s.Label)
		}
		if err != nil {
			return nil, fmt.Errorf("mention %d: %w", i+1, err)
		}
		if !slices.ContainsFunc(spans, s.Overlaps) {
			spans = append(spans, s)
		}
	}
	slices.SortFunc(spans, annotate.CompareSpans)
	return spans, nil
}

// Found are the spans that a model finds in a note, without spans whose labels mask nothing.
func Found(m *crf.Model, v annotate.View) []annotate.Suggestion {
	return slices.DeleteFunc(m.Tag(v), func(s annotate.Suggestion) bool { return !masks(s.Span.Label) })
}

// Spans are the spans that a model finds in a text, as [Found] does.
func Spans(m *crf.Model, text string) (spans []annotate.Span) {
	note := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text}})
	for _, found := range Found(m, note.View()) {
		spans = append(spans, found.Span)
	}
	return spans
}

// judged is what a model says of a note, without labels that mask nothing: neither its tags
// nor the spans of the note keep them. likely has the most probable other label of each token.
func judged(m *crf.Model, v annotate.View, tags []annotate.Suggestion) (d score.Prediction, likely []annotate.Label) {
	gold := v.Note.Only(masks)
	d = score.Prediction{Note: &gold, Probability: make([]float64, len(v.Words))}
	for _, s := range tags {
		if masks(s.Span.Label) {
			d.Predicted = append(d.Predicted, s)
		}
	}
	p, labels := m.Marginals(v)
	likely = make([]annotate.Label, len(v.Words))
	for t := range p {
		best := -1.0
		for k, l := range labels {
			if !masks(l) {
				continue
			}
			d.Probability[t] = min(d.Probability[t]+p[t][k], 1)
			if p[t][k] > best {
				best, likely[t] = p[t][k], l
			}
		}
	}
	return d, likely
}

// AddLikely adds the words that no prediction covers and whose probability of being PHI is
// at least p, under their most probable label. It raises recall and lowers precision.
func (found *Predictions) AddLikely(p float64) {
	for i := range found.docs {
		d := &found.docs[i]
		labels, begins := slices.Clone(found.likely[i]), make([]bool, len(d.Tokens))
		for t := range labels {
			if d.Probability[t] < p {
				labels[t] = ""
			}
		}
		d.Predicted = withUncovered(d.Note, d.Predicted, labels, begins, func(s annotate.Span) annotate.Suggestion {
			return annotate.Suggestion{Span: s, Score: mean(*d, s)}
		})
	}
}

// mean is the mean probability of the tokens of a span.
func mean(d score.Prediction, s annotate.Span) float64 {
	from, to := annotate.Covered(d.Tokens, s)
	sum := 0.0
	for _, p := range d.Probability[from:to] {
		sum += p
	}
	return sum / float64(to-from)
}
