// SPDX-License-Identifier: Apache-2.0

package trade

import (
	"context"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
)

// Marker is a learner of another package, which tells sensitive words from others
// and no labels from each other. It is scored by runs of neighbouring sensitive words,
// in the notes as in what it says.
type Marker struct {
	Name string
	// Marks are the words that it marks in each note, by what it trained with a
	// sampling from the notes of the other folds. fold[i] is the fold of note i, and
	// words are those of [annotate.NewNote].
	Marks func(ctx context.Context, s crf.Sampling, fold []int, folds int) ([][]bool, error)
}

// marked is what the marker says, and how long all of that took.
func (r *run) marked(ctx context.Context, s crf.Sampling) (said []score.Prediction, seconds float64, err error) {
	fold, err := crf.Folds(r.groups, r.Folds, r.Seed)
	if err != nil {
		return nil, 0, fmt.Errorf("cross-validate: %w", err)
	}
	took := r.options.Stopwatch()
	marks, err := r.options.Marker.Marks(ctx, s, fold, r.Folds)
	if err != nil {
		return nil, 0, err
	}
	seconds = took().Seconds()
	said = make([]score.Prediction, len(r.notes))
	for i, d := range r.notes {
		predicted := []annotate.Suggestion{}
		for _, span := range runs(d.Tokens, marks[i]) {
			predicted = append(predicted, annotate.Suggestion{Span: span})
		}
		gold := d.WithSpans(runs(d.Tokens, d.Sensitive))
		said[i] = score.Prediction{Note: &gold, Predicted: predicted}
	}
	return said, seconds, nil
}

// runs are spans of neighbouring marked tokens.
func runs(tokens []annotate.Token, marks []bool) []annotate.Span {
	labels := make([]annotate.Label, len(tokens))
	for t, marked := range marks {
		if marked {
			labels[t] = crf.Folded
		}
	}
	return annotate.SpansOf(tokens, labels, make([]bool, len(tokens)))
}
