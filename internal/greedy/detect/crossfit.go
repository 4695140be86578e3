// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"
	"errors"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
)

// ErrOneKind is returned if all training tokens are of one class.
var ErrOneKind = errors.New("all tokens have the same class")

// Train implements [greedy.Learner]. It cross-fits on folds of its own, by group. With
// one group nothing is out of fold, which a second stage and a bonus need: the base
// learners work without them.
func (d Detector) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	o, groups := d.Options.withDefaults(), make([]string, len(views))
	for i, v := range views {
		groups[i] = v.Group
	}
	fold, folds := greedy.Deal(groups, o.Folds, o.Seed)
	switch folds {
	case 0:
		return nil, fmt.Errorf("detector: %w", greedy.ErrFewDocuments)
	case 1:
		d.Options.Parts = o.Parts &^ (SecondStage | Bonus)
	}
	_, h, err := d.crossFit(ctx, views, fold, folds, false)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// CrossFit implements [greedy.CrossFitter]. Each base learner is trained folds+1 times:
// without each fold, and on everything. The second stage of fold f is trained on the
// out-of-fold scores of the other folds, and applied to f.
//
// Nested: the scores of a document by base learners, rates, n-gram models, bonus and
// second stage do not depend on the labels of its fold. Not nested: the second stage of
// fold f trains on scores of other folds, whose base learners were trained on fold f
// among others. And with [Corpus] the word's other occurrences are in any fold, so their
// scores may come from base learners trained on f. The second effect makes counts look
// better than a publication will be, the first hardly. With [Strangers] the second stage
// also trains on scores by base learners of the opposite quarter: no note of fold f is
// taught to the second stage of f, but base learners of the quarters saw some.
func (d Detector) CrossFit(ctx context.Context, views []annotate.View, fold []int, folds int) ([][]float64, [][]bool, greedy.Classifier, error) {
	if folds < 2 {
		return nil, nil, nil, fmt.Errorf("detector: %w: %d folds", greedy.ErrFewDocuments, folds)
	}
	scores, h, err := d.crossFit(ctx, views, fold, folds, true)
	if err != nil {
		return nil, nil, nil, err
	}
	hard := make([][]bool, len(scores))
	for i, s := range scores {
		hard[i] = greedy.Likely(s)
	}
	return scores, hard, h, nil
}

func (d Detector) crossFit(ctx context.Context, views []annotate.View, fold []int, folds int, score bool) ([][]float64, *Classifier, error) {
	s, err := d.session(ctx, views, fold, folds)
	if err != nil {
		return nil, nil, err
	}
	defer s.chains.Close()
	s.trainings = 1 // the second stage on everything
	if score {
		s.trainings += folds
	}
	known, strangers, err := s.fit(ctx)
	if err != nil {
		return nil, nil, err
	}
	full := known[folds]
	if full.alike {
		return nil, nil, fmt.Errorf("detector: %w", ErrOneKind)
	}
	docs, err := s.witnesses(ctx, known[:folds], fold)
	if err != nil {
		return nil, nil, err
	}
	taught := []*batch{newBatch(s.Parts, docs)}
	if s.Parts.has(SecondStage) && len(strangers) > 0 {
		odd, err := s.witnesses(ctx, strangers, s.corpus.Quarters())
		if err != nil {
			return nil, nil, err
		}
		taught = append(taught, newBatch(s.Parts, odd))
	}
	scores, seconds, err := s.stack(ctx, taught, score)
	if err != nil {
		return nil, nil, err
	}
	return scores, &Classifier{s.Parts, full.bases, full.dense.Encoder(), seconds, s.bonusOf(docs, folds), usualNovelty(docs), 1}, nil
}

func (d Detector) session(ctx context.Context, views []annotate.View, fold []int, folds int) (*session, error) {
	o := d.Options.withDefaults()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	if len(fold) != len(views) {
		return nil, fmt.Errorf("detector: %d documents in %d places of %d folds", len(views), len(fold), folds)
	}
	for i, f := range fold {
		if f < 0 || f >= folds {
			return nil, fmt.Errorf("detector: document %d is in fold %d of %d", i, f, folds)
		}
	}
	if !o.CRF.Sampling.Everything() {
		o.Parts &^= Share // it would undo the effect of leaving words out on all odds
	}
	views = greedy.Sample(views, o.CRF.Sampling)
	o.CRF.Sampling = crf.Sampling{} // sampling is done already
	// The trainings run in parallel, each on one goroutine.
	o.CRF.Workers, o.Trees.Workers, o.Second.Workers = 1, 1, 1
	corpus, err := dense.Prepare(ctx, views, crf.NewLists(o.CRF.Dictionaries))
	if err != nil {
		return nil, err
	}
	chains, err := greedy.CRF{Options: o.CRF}.Share()
	return &session{Options: o, views: views, chains: chains, corpus: corpus, fold: fold, folds: folds}, err
}

// stack trains the second stage on everything and, if out-of-fold scores are wanted too,
// without each fold. Of the batches that it is taught by, the first has the scores of the
// folds.
func (s *session) stack(ctx context.Context, taught []*batch, score bool) ([][]float64, *stage, error) {
	scores, models := make([][]float64, len(s.views)), make([]*stage, s.folds+1)
	least := s.folds
	if score {
		least = 0
	}
	b, columns := taught[0], make([][]boost.Matrix, len(taught))
	for k := range columns {
		columns[k] = make([]boost.Matrix, len(s.views))
		for i := range s.views {
			if s.Parts.has(SecondStage) {
				columns[k][i] = taught[k].columns(i)
			}
		}
	}
	err := greedy.Parallel(ctx, s.Workers, s.folds+1-least, func(ctx context.Context, i int) error {
		defer s.tick("second stage")
		f, err := s.folds-i, error(nil)
		if models[f], err = s.second(ctx, taught, columns, f); err != nil {
			return err
		}
		more := s.bonusOf(b.docs, f)
		for i := range s.views {
			if s.fold[i] == f {
				scores[i] = b.scores(i, models[f], 1, more)
			}
		}
		return ctx.Err()
	})
	return scores, models[s.folds], err
}

// second trains the second stage on the scores of other folds than f. If these have only
// one class, there is none.
func (s *session) second(ctx context.Context, taught []*batch, columns [][]boost.Matrix, f int) (*stage, error) {
	if !s.Parts.has(SecondStage) {
		return nil, nil
	}
	var x boost.Matrix
	said, y := make([][]float64, s.Parts.bases()), []bool(nil)
	for k, b := range taught {
		x, y = s.evidence(b, columns[k], s.outside(f), x, said, y)
	}
	out := &stage{blend: fitBlend(said, y)}
	o := s.Options.Second
	o.Start = make([]float64, len(y))
	for r := range y {
		o.Start[r] = out.blend.LogOdds(said, r)
	}
	var err error
	if out.trees, err = boost.Train(ctx, x, y, o); errors.Is(err, boost.ErrOneKind) {
		return nil, nil
	}
	return out, err
}

// evidence adds the training tokens of some views to their columns x, the base learners'
// scores and their labels y.
func (s *session) evidence(b *batch, columns []boost.Matrix, views []int, x boost.Matrix, said [][]float64, y []bool) (boost.Matrix, []bool) {
	for _, i := range views {
		if x == nil {
			x = make(boost.Matrix, len(columns[i]))
		}
		row := 0 // of columns, which has one row for each visible token
		for t := range s.views[i].Words {
			if s.views[i].Hidden(t) {
				continue
			}
			row++
			if s.views[i].Skipped(t) {
				continue
			}
			for c := range x {
				x[c] = append(x[c], columns[i][c][row-1])
			}
			y = append(y, s.views[i].Remaining(t))
			for k, f := range b.docs[i].bases() {
				said[k] = append(said[k], f[t])
			}
		}
	}
	return x, y
}

// bonusOf is the bonus justified by the folds other than f.
func (s *session) bonusOf(docs []*evidence, f int) bonus {
	if !s.Parts.has(Bonus) {
		return bonus{}
	}
	var kept []*evidence
	for _, i := range s.outside(f) {
		kept = append(kept, docs[i])
	}
	return learnBonus(kept, s.Options.Bonus)
}
