// SPDX-License-Identifier: Apache-2.0

// Package linear marks sensitive tokens one by one, from left to right, with a linear
// support vector machine: the second hypothesis class of tkde section 5.
//
//	h, err := linear.SVM{}.Train(ctx, views)
//	p := h.Scores(view) // P(sensitive) of each token
//
// A token is described by its word, affixes, shape, neighbours, and the labels of the
// two tokens before it. Training reads these labels from the annotation; a trained
// machine reads its own labels. The papers add parts of speech, which would need a tagger
// and tie the learner to a language; all their other features are here.
//
// [Solve] is the machine for any sparse problem: dual coordinate descent (Hsieh, Chang,
// Lin, Keerthi and Sundararajan, ICML 2008), with the hinge or the squared hinge and a
// cost for each row. [FitSigmoid] turns margins into probabilities (Platt 1999); [SVM]
// fits it to margins of held-out documents.
//
// A trained machine keeps 64-bit hashes of words. The package does no I/O; equal inputs
// and seeds give equal results for any GOMAXPROCS, and trained machines are safe for
// concurrent use.
package linear

import (
	"cmp"
	"context"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// SVM is a linear support vector machine as a [greedy.Learner]. The zero value is
// ready to use.
type SVM struct {
	C         float64         // cost of a token with a too small margin; 0 means 0.3
	Sensitive float64         // relative cost of a sensitive token, for the cost-sensitive machine; 0 means 1
	Loss      Loss            // "" means SquaredHinge
	Folds     int             // to fit probabilities out of fold; 0 means 3
	Seed      uint64          // of folds and of the order of rows
	Sampling  greedy.Sampling // of the training and calibration data
}

var _ greedy.CostSensitive = SVM{}

// Name is "svm".
func (SVM) Name() string { return "svm" }

// Weighted implements [greedy.CostSensitive].
func (l SVM) Weighted(weight float64) greedy.Learner {
	l.Sensitive = weight
	return l
}

func (l SVM) withDefaults() SVM {
	l.C = cmp.Or(l.C, 0.3)
	if l.Sensitive == 0 {
		l.Sensitive = 1
	}
	l.Folds = cmp.Or(l.Folds, 3)
	return l
}

// Train implements [greedy.Learner].
func (l SVM) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	m, err := l.TrainOn(ctx, views, make([]Doubt, len(views)))
	if err != nil {
		return nil, err
	}
	return m, nil
}

// TrainOn trains a machine that corrects another classifier's scores of each view:
// [Model.Judge]. That classifier should not have been trained on the view.
func (l SVM) TrainOn(ctx context.Context, views []annotate.View, doubts []Doubt) (*Model, error) {
	l = l.withDefaults()
	if !(l.Sensitive > 0) || l.Folds < 2 {
		return nil, fmt.Errorf("a sensitive token costs %g times as much, in %d folds: above 0 and at least 2 are needed", l.Sensitive, l.Folds)
	}
	t, err := newTable(ctx, greedy.Sample(views, l.Sampling), doubts)
	if err != nil {
		return nil, err
	}
	s, err := l.calibrate(ctx, t)
	if err != nil {
		return nil, err
	}
	m, err := l.fit(ctx, t, func(int) bool { return true })
	if err != nil {
		return nil, err
	}
	m.sigmoid = s
	return m.compact(), nil
}

// fit trains on the views that in accepts.
func (l SVM) fit(ctx context.Context, t *table, in func(view int) bool) (*Model, error) {
	p := Problem{Dim: len(t.index)}
	for i, rows := range t.rows {
		if !in(i) {
			continue
		}
		for x, row := range rows {
			if !t.doubts[i].asks(x) || t.views[i].Skipped(x) {
				continue
			}
			cost := l.C
			if t.views[i].Remaining(x) {
				cost *= l.Sensitive
			}
			p.Rows, p.Positive, p.Cost = append(p.Rows, row), append(p.Positive, t.views[i].Remaining(x)), append(p.Cost, cost)
		}
	}
	found, err := Solve(ctx, p, Options{Loss: l.Loss, Tolerance: 0.1, Passes: 200, Seed: l.Seed})
	if err != nil {
		return nil, err
	}
	return &Model{index: t.index, weights: found.W, sigmoid: uncalibrated}, nil
}

// calibrate fits probabilities to the margins of tokens in held-out documents, with
// groups kept whole. Redacted tokens do not count.
func (l SVM) calibrate(ctx context.Context, t *table) (Sigmoid, error) {
	groups := make([]string, len(t.views))
	for i, v := range t.views {
		groups[i] = v.Group
	}
	fold, folds := greedy.Deal(groups, l.Folds, l.Seed)
	if folds < 2 {
		return uncalibrated, nil
	}
	var margins []float64
	var positive []bool
	for f := range folds {
		m, err := l.fit(ctx, t, func(i int) bool { return fold[i] != f })
		if err != nil {
			return Sigmoid{}, err
		}
		for i, v := range t.views {
			if fold[i] != f {
				continue
			}
			for x, margin := range m.Judge(v, t.doubts[i]) {
				if t.doubts[i].asks(x) && v.InTraining(x) {
					margins, positive = append(margins, margin), append(positive, v.Remaining(x))
				}
			}
		}
	}
	return FitSigmoid(margins, positive), nil
}

// table holds the rows of all tokens, with the annotation as history: as in
// [Model.Judge], a token that is not doubtful is not sensitive in it.
type table struct {
	views  []annotate.View
	doubts []Doubt
	rows   [][]Row // per view and token
	index  map[feature]int32
}

func newTable(ctx context.Context, views []annotate.View, doubts []Doubt) (*table, error) {
	t := &table{views: views, doubts: doubts, rows: make([][]Row, len(views)), index: map[feature]int32{bias: 0}}
	r := newReader()
	var features []feature
	for i, v := range views {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.open(v)
		t.rows[i] = make([]Row, len(v.Words))
		was := func(x int) bool { return x >= 0 && v.Remaining(x) && doubts[i].asks(x) }
		for x := range v.Words {
			features = r.describe(x, append(features[:0], bias))
			features = doubts[i].features(x, r.past(x, was(x-1), was(x-2), features))
			t.rows[i][x] = Row{Index: t.number(features)}
		}
	}
	return t, nil
}

// bias is the feature that every token has.
const bias feature = 0

func (t *table) number(features []feature) []int32 {
	out := make([]int32, len(features))
	for k, f := range features {
		n, known := t.index[f]
		if !known {
			n = int32(len(t.index))
			t.index[f] = n
		}
		out[k] = n
	}
	return out
}
