// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"
	"fmt"

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
)

// Forest learns boosted trees on the columns of package dense, and nothing else.
// Its classifiers are detectors of two parts. The zero value is gradient boosting
// as the detector does it.
type Forest struct {
	Trees boost.Options     // as Options.Trees
	Ada   *boost.AdaOptions // AdaBoost instead

	Dictionaries []crf.DictionaryList // a user's, each of them a column
}

var _ greedy.Keeper = Forest{}

// Name is "trees" or "adaboost".
func (f Forest) Name() string {
	if f.Ada != nil {
		return "adaboost"
	}
	return "trees"
}

// Train implements [greedy.Learner].
func (f Forest) Train(ctx context.Context, views []greedy.View) (greedy.Classifier, error) {
	corpus, err := dense.Prepare(ctx, views, crf.NewLists(f.Dictionaries))
	if err != nil {
		return nil, err
	}
	all := make([]int, len(views))
	for i := range all {
		all[i] = i
	}
	fit, err := corpus.Fit(ctx, all)
	if err != nil {
		return nil, err
	}
	x, y, err := fit.Rows(ctx)
	if err != nil {
		return nil, err
	}
	var m *boost.Model
	if f.Ada != nil {
		m, err = boost.AdaBoost(ctx, x, y, nil, *f.Ada)
	} else {
		m, err = boost.Train(ctx, x, y, nil, Options{Trees: f.Trees}.withDefaults().Trees)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return &Classifier{parts: Trees | NameLikeness, bases: bases{trees: m}, encoder: fit.Encoder()}, nil
}

// EncodeClassifier implements [greedy.Keeper].
func (Forest) EncodeClassifier(h greedy.Classifier) ([]byte, error) {
	return Detector{}.EncodeClassifier(h)
}

// DecodeClassifier implements [greedy.Keeper].
func (Forest) DecodeClassifier(raw []byte) (greedy.Classifier, error) {
	return Detector{}.DecodeClassifier(raw)
}
