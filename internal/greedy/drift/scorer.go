// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"context"
	"errors"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// scoredRedacted is P(sensitive) from which a token counts as redacted: that of
// L/C 10.
const scoredRedacted = 1. / 11

// ErrNothingSensitive is returned when there is too little to train on.
var ErrNothingSensitive = errors.New("half of the patients have nothing sensitive")

// Scorer makes the profiles of both sides of a comparison. Of two models, each of
// which trained on the patients that the other did not, a document is read by one
// that did not see it; documents that neither has seen are read by each in turn, so
// that scores are alike on both sides.
type Scorer struct {
	models [2]*crf.Model
	half   map[string]int // group -> the model that has not seen it
	unseen int
}

// NewScorer trains on annotated documents, all of whose spans are sensitive. It
// returns [ErrNothingSensitive] when a half of the groups has none.
func NewScorer(ctx context.Context, docs []annotate.Note) (*Scorer, error) {
	r := &Scorer{half: map[string]int{}}
	var halves [2][]annotate.View
	var marked [2]int
	for _, d := range docs {
		h, seen := r.half[d.Group]
		if !seen {
			h = len(r.half) % 2
			r.half[d.Group] = h
		}
		halves[1-h] = append(halves[1-h], d.View())
		marked[1-h] += len(d.Spans)
	}
	for h, docs := range halves {
		if marked[h] == 0 {
			return nil, ErrNothingSensitive
		}
		var err error
		if r.models[h], _, err = crf.Train(ctx, docs, crf.Options{Binary: true}); err != nil {
			return nil, fmt.Errorf("compare documents: %w", err)
		}
	}
	return r, nil
}

// Profile describes a document, whose spans, if it has any, it does not look at.
// Successive documents that neither model has seen are read by each in turn, so
// that the same calls give the same profiles.
func (r *Scorer) Profile(d *annotate.Note) Profile {
	h, seen := r.half[d.Group]
	if !seen {
		h = r.unseen % 2
		r.unseen++
	}
	scores := r.models[h].Sensitive(d.View())
	redacted := make([]bool, len(scores))
	for i, p := range scores {
		redacted[i] = p >= scoredRedacted
	}
	return Describe(d, scores, redacted)
}
