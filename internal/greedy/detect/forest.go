// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"
	"errors"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
	"hide/internal/greedy/linear"
)

// Forest trains boosted trees on the columns of package dense only. Its classifiers are
// detectors with two parts. The zero value is gradient boosting as in the detector.
type Forest struct {
	Trees boost.Options     // as Options.Trees
	Ada   *boost.AdaOptions // AdaBoost instead, calibrated on held-out documents
	Seed  uint64            // of the held-out folds

	Sampling     crf.Sampling      // of the training and calibration data of columns and trees
	Dictionaries []dictionary.List // a user's dictionaries, each a column
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
func (f Forest) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	views = greedy.Sample(views, f.Sampling)
	corpus, err := dense.Prepare(ctx, views, crf.NewLists(f.Dictionaries))
	if err != nil {
		return nil, err
	}
	all := make([]int, len(views))
	for i := range all {
		all[i] = i
	}
	fit, m, err := f.fit(ctx, corpus, all)
	if err == nil && f.Ada != nil {
		m, err = f.calibrated(ctx, corpus, views, m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return &Classifier{parts: Trees | NameLikeness, bases: bases{trees: m}, encoder: fit.Encoder()}, nil
}

// fit trains columns and trees on the given documents.
func (f Forest) fit(ctx context.Context, corpus *dense.Corpus, train []int) (*dense.Fitted, *boost.Model, error) {
	fit, err := corpus.Fit(ctx, train)
	if err != nil {
		return nil, nil, err
	}
	x, y, err := fit.Rows(ctx)
	if err != nil {
		return nil, nil, err
	}
	var m *boost.Model
	if f.Ada != nil {
		m, err = boost.AdaBoost(ctx, x, y, *f.Ada)
	} else {
		m, err = boost.Train(ctx, x, y, Options{Trees: f.Trees}.withDefaults().Trees)
	}
	return fit, m, err
}

// calibrationFolds is the same number as for the support vector machine.
const calibrationFolds = 3

// calibrated is m with its sums of votes converted to log-odds on held-out documents: a
// sum grows with the rounds, whatever the error rate. The sigmoid is the one that
// calibrates margins in package linear.
func (f Forest) calibrated(ctx context.Context, corpus *dense.Corpus, views []annotate.View, m *boost.Model) (*boost.Model, error) {
	groups := make([]string, len(views))
	for i, v := range views {
		groups[i] = v.Group
	}
	fold, folds := greedy.Deal(groups, calibrationFolds, f.Seed)
	if folds < 2 {
		return m, nil // nothing to measure on
	}
	var sums []float64
	var sensitive []bool
	for k := range folds {
		kept, held := splitFold(fold, k)
		fit, part, err := f.fit(ctx, corpus, kept)
		if errors.Is(err, boost.ErrOneKind) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, i := range held {
			for t, sum := range part.LogOdds(fit.Columns(i)) {
				if views[i].InTraining(t) {
					sums, sensitive = append(sums, sum), append(sensitive, views[i].Sensitive[t])
				}
			}
		}
	}
	s := linear.FitSigmoid(sums, sensitive)
	return m.Rescaled(s.Slope, s.Shift), nil
}

// splitFold are the documents outside and inside of a fold.
func splitFold(fold []int, k int) (kept, held []int) {
	for i, at := range fold {
		if at == k {
			held = append(held, i)
		} else {
			kept = append(kept, i)
		}
	}
	return kept, held
}

// EncodeClassifier implements [greedy.Keeper].
func (Forest) EncodeClassifier(h greedy.Classifier) ([]byte, error) {
	return Detector{}.EncodeClassifier(h)
}

// DecodeClassifier implements [greedy.Keeper].
func (Forest) DecodeClassifier(raw []byte) (greedy.Classifier, error) {
	return Detector{}.DecodeClassifier(raw)
}
