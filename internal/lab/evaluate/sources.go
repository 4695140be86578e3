// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"errors"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
	"hide/internal/crf"
	"hide/internal/lab"
)

// Sources say which notes are scored, and by which models.
type Sources struct {
	Notes    []annotate.Annotated // to score
	Train    []annotate.Annotated // to train on
	Model    *crf.Model           // instead of training; nil for none. Train then only explains its errors
	Learner  string               // one that marks PHI without labels, see [Training.Marks]; "" trains with labels, as the options say
	Folds    int                  // without Train and Model, Notes are cross-validated
	Seed     uint64               // deals the folds
	Contrast []entities.Document  // mentions of the notes to train on, for [Contrast]
	Entities []entities.Document  // mentions of the notes to score, for [Evaluation.Entities]

	Threshold float64 // for [Predictions.AddLikely]; 0 for none
	Known     bool    // add what [Predictions.AddKnown] finds
}

// Predict trains as the sources say and tags their notes.
func (s Sources) Predict(ctx context.Context, o crf.Options, progress lab.Progress) (*Predictions, error) {
	list, err := s.entities() // before the training, which takes longer
	if err != nil {
		return nil, err
	}
	found, err := s.predict(ctx, o, progress)
	if err != nil {
		return nil, err
	}
	found.entities = list
	if s.Threshold > 0 {
		found.AddLikely(s.Threshold)
	}
	if s.Known {
		found.AddKnown()
	}
	found.joinRuns()
	return found, nil
}

func (s Sources) predict(ctx context.Context, o crf.Options, progress lab.Progress) (*Predictions, error) {
	switch {
	case s.Model != nil:
		found, err := Tag(ctx, s.Model, s.Notes)
		if err == nil && s.Train != nil {
			found.explain(s.Train)
		}
		return found, err
	case s.Learner != "":
		return s.mark(ctx, o, progress)
	case s.Train != nil:
		train, err := Contrast(s.Train, s.Contrast)
		if err != nil {
			return nil, err
		}
		return TrainAndTag(ctx, train, s.Notes, o, progress)
	}
	train, err := Contrast(s.Notes, s.Contrast)
	if err != nil {
		return nil, err
	}
	return CrossValidate(ctx, train, s.Folds, s.Seed, o, progress)
}

// entities lists the entities of the notes to score, nil without an entities file.
func (s Sources) entities() ([]entities.Entity, error) {
	if s.Entities == nil {
		return nil, nil
	}
	list, err := entities.OfNotes(s.Entities, annotate.NewNotes(s.Notes))
	if err != nil {
		return nil, fmt.Errorf("entities of the notes to score: %w", err)
	}
	if len(list) == 0 {
		return nil, errors.New("entities of the notes to score: none is DIRECT or QUASI: there is nothing to measure")
	}
	return list, nil
}
