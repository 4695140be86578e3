// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"
	"math"
	"sync"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
)

// mostOdds limits log-odds both ways; it stands for certainty.
const mostOdds = 16

func bounded(f float64) float64 {
	if f != f {
		return 0
	}
	return min(max(f, -mostOdds), mostOdds)
}

// bases are the base learners, nil for parts that are off.
type bases struct {
	crf   *greedy.Model
	trees *boost.Model
}

// logOdds returns the base learners' log-odds of each token of a view, by learner. x
// describes all its tokens, and chain has the CRF's log-odds, if there is one.
func (b *bases) logOdds(chain []float64, x boost.Matrix) [][]float64 {
	var said [][]float64
	if b.crf != nil {
		f := make([]float64, len(chain))
		for t, p := range chain {
			f[t] = bounded(greedy.LogOdds(p, 0))
		}
		said = append(said, f)
	}
	if b.trees != nil {
		f := b.trees.LogOdds(x)
		for t := range f {
			f[t] = bounded(f[t])
		}
		said = append(said, f)
	}
	return said
}

// blind clears the columns of parts that are off.
func (p Parts) blind(x boost.Matrix) {
	if !p.has(NameLikeness) {
		for _, c := range dense.Likeness() {
			clear(x[c])
		}
	}
}

// session is one cross-fit.
type session struct {
	Options
	views  []annotate.View
	chains greedy.SharedTraining // of the CRFs
	corpus *dense.Corpus
	fold   []int
	folds  int

	trainings int        // in all
	mu        sync.Mutex // guards done, and serialises Progress
	done      int        // trainings
}

// tick counts a training of a stage.
func (s *session) tick(stage string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done++; s.Progress != nil {
		s.Progress(stage, s.done, s.trainings)
	}
}

// fitted are the base learners of some of the views. If these have only one class, there
// are none, and always is their answer.
type fitted struct {
	bases
	dense  *dense.Fitted
	kept   []int
	alike  bool
	always float64
}

// outside lists the views of other folds than f; for f = folds, all of them. Views
// without tokens are left out.
func (s *session) outside(f int) []int {
	var kept []int
	for i, v := range s.views {
		if s.fold[i] != f && len(v.Words) > 0 {
			kept = append(kept, i)
		}
	}
	return kept
}

func (s *session) newFitted(f int) *fitted {
	b := &fitted{kept: s.outside(f)}
	tokens, left := 0, 0
	for _, i := range b.kept {
		for t := range s.views[i].Words {
			if !s.views[i].InTraining(t) {
				continue
			}
			tokens++
			if s.views[i].Remaining(t) {
				left++
			}
		}
	}
	b.alike = left == 0 || left == tokens
	b.always = bounded(math.Log((float64(left) + 0.5) / (float64(tokens-left) + 0.5)))
	return b
}

// fit trains the base learners without each fold in turn, and finally on everything.
func (s *session) fit(ctx context.Context) ([]*fitted, error) {
	all := make([]*fitted, s.folds+1)
	for f := range all {
		all[f] = s.newFitted(f)
	}
	err := greedy.Parallel(ctx, s.Workers, 2*len(all), func(ctx context.Context, i int) error {
		defer s.tick("base learners")
		switch b := all[i/2]; {
		case i%2 == 0:
			return s.fitTrees(ctx, b)
		case s.Parts.has(CRF) && !b.alike:
			return s.fitCRF(ctx, b)
		}
		return nil
	})
	return all, err
}

func (s *session) fitCRF(ctx context.Context, b *fitted) error {
	views := make([]annotate.View, len(b.kept))
	for i, at := range b.kept {
		views[i] = s.views[at]
	}
	h, err := s.chains.Train(ctx, views)
	if err != nil {
		return err
	}
	b.crf = h.(*greedy.Model)
	return nil
}

// fitTrees also fits the dense columns, which the second stage reads.
func (s *session) fitTrees(ctx context.Context, b *fitted) error {
	var err error
	if b.dense, err = s.corpus.Fit(ctx, b.kept); err != nil || b.alike || !s.Parts.has(Trees) {
		return err
	}
	x, y, err := b.dense.Rows(ctx)
	if err != nil {
		return err
	}
	s.Parts.blind(x)
	b.trees, err = boost.Train(ctx, x, y, s.Options.Trees)
	return err
}

// witnesses are the views with the scores of base learners that were not trained on them.
func (s *session) witnesses(ctx context.Context, all []*fitted) ([]*evidence, error) {
	docs, chain := make([]*evidence, len(s.views)), make([][]float64, len(s.views))
	err := greedy.Parallel(ctx, s.Workers, s.folds, func(ctx context.Context, f int) error {
		if all[f].crf == nil {
			return nil
		}
		var at []int
		var views []annotate.View
		for i, v := range s.views {
			if s.fold[i] == f {
				at, views = append(at, i), append(views, v)
			}
		}
		scores, _, err := s.chains.Predict(ctx, all[f].crf, views)
		for k, p := range scores {
			chain[at[k]] = p
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return docs, greedy.Parallel(ctx, s.Workers, len(s.views), func(ctx context.Context, i int) error {
		docs[i] = s.witness(all[s.fold[i]], i, chain[i])
		return nil
	})
}

// evidence is a view with the scores of the base learners; chain is the CRF's.
func (s *session) witness(b *fitted, view int, chain []float64) *evidence {
	v, x := s.views[view], b.dense.Columns(view)
	s.Parts.blind(x)
	said := b.logOdds(chain, x)
	for range s.Parts.bases() - len(said) {
		f := make([]float64, len(v.Words))
		for t := range f {
			f[t] = b.always
		}
		said = append(said, f)
	}
	return newEvidence(v, said, x)
}
