// SPDX-License-Identifier: Apache-2.0

// Package publishtest trains small redaction models for tests.
package publishtest

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/publish"
)

// Bundle trains a CRF that finds identifiers, and one that names them.
func Bundle(docs []annotate.View, o crf.Options) (*publish.Bundle, error) {
	namer, _, err := crf.Train(context.Background(), docs, o)
	if err != nil {
		return nil, err
	}
	o.Binary = true
	finder, _, err := crf.Train(context.Background(), docs, o)
	if err != nil {
		return nil, err
	}
	return &publish.Bundle{
		Ensemble: greedy.Ensemble{{Learner: "crf", Classifier: &greedy.Model{CRF: finder}, Threshold: 0.5}},
		Namer:    namer,
		Policy:   publish.Policy{Placeholder: publish.DefaultPlaceholder, Labels: namer.Labels()},
	}, nil
}
