// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/learners"
	"hide/internal/lab"
	"hide/internal/publish"
)

// redactLC is the L/C whose threshold the trained bundle has.
const redactLC = 10

// trainedBundle is the default model, the detector, trained on generated notes.
func trainedBundle(ctx context.Context, o RedactOptions, progress lab.Progress) (*publish.Bundle, error) {
	bar := progress.Start("training the redaction model")
	defer bar.End()
	docs := generatedNotes(o.Train, o.Train, o.Seed+1)
	learner, err := learners.New("detector", learners.Options{Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	return bundleOf(ctx, docs, learner, crf.Options{})
}

// bundleOf trains a learner as the only classifier, and a CRF for the labels.
func bundleOf(ctx context.Context, docs []annotate.Note, learner greedy.Learner, labels crf.Options) (*publish.Bundle, error) {
	views := annotate.Views(docs)
	classifier, err := learner.Train(ctx, views)
	if err != nil {
		return nil, err
	}
	namer, _, err := crf.Train(ctx, views, labels)
	if err != nil {
		return nil, err
	}
	return &publish.Bundle{
		Ensemble: greedy.Ensemble{{Learner: learner.Name(), Classifier: classifier, Threshold: 1 / (1 + float64(redactLC)), Whole: true}},
		Namer:    namer,
		Policy:   publish.Policy{Placeholder: publish.DefaultPlaceholder, Labels: namer.Labels()},
	}, nil
}
