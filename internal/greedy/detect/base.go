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

// opposite lists the views of the quarter opposite to q, without those that have no
// tokens.
func (s *session) opposite(q int) []int {
	var kept []int
	for i, at := range s.corpus.Quarters() {
		if at == dense.Opposite(q) && len(s.views[i].Words) > 0 {
			kept = append(kept, i)
		}
	}
	return kept
}

func (s *session) newFitted(kept []int) *fitted {
	b := &fitted{kept: kept}
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

// fit trains the base learners without each fold in turn, then on everything, and with
// [Strangers] on the opposite of each quarter.
func (s *session) fit(ctx context.Context) (known, strangers []*fitted, err error) {
	var all []*fitted
	for f := range s.folds + 1 {
		all = append(all, s.newFitted(s.outside(f)))
	}
	if s.Parts.has(Strangers) {
		strangers = s.newStrangers()
	}
	known, all = all, append(all, strangers...)
	s.trainings += 2 * len(all)
	err = greedy.Parallel(ctx, s.Workers, 2*len(all), func(ctx context.Context, i int) error {
		defer s.tick("base learners")
		switch b := all[i/2]; {
		case i%2 == 0:
			return s.fitTrees(ctx, b)
		case s.Parts.has(CRF) && !b.alike:
			return s.fitCRF(ctx, b)
		}
		return nil
	})
	return known, strangers, err
}

// newStrangers are those of each quarter, none if a quarter lacks one of the classes.
func (s *session) newStrangers() []*fitted {
	var all []*fitted
	for q := range dense.Quarters {
		b := s.newFitted(s.opposite(q))
		if b.alike {
			return nil
		}
		all = append(all, b)
	}
	return all
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
	x, y, err := b.dense.Rows(ctx, s.Parts.has(Strangers))
	if err != nil {
		return err
	}
	s.Parts.blind(x)
	b.trees, err = boost.Train(ctx, x, y, s.Options.Trees)
	return err
}

// witnesses are the views with the scores of base learners that were not trained on them:
// those of the place of each view, a fold or a quarter.
func (s *session) witnesses(ctx context.Context, by []*fitted, place []int) ([]*evidence, error) {
	docs, chain := make([]*evidence, len(s.views)), make([][]float64, len(s.views))
	err := greedy.Parallel(ctx, s.Workers, len(by), func(ctx context.Context, p int) error {
		if by[p].crf == nil {
			return nil
		}
		var at []int
		var views []annotate.View
		for i, v := range s.views {
			if place[i] == p {
				at, views = append(at, i), append(views, v)
			}
		}
		scores, _, err := s.chains.Predict(ctx, by[p].crf, views)
		for k, p := range scores {
			chain[at[k]] = p
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return docs, greedy.Parallel(ctx, s.Workers, len(s.views), func(ctx context.Context, i int) error {
		docs[i] = s.witness(by[place[i]], i, chain[i])
		return nil
	})
}

// witness is a view with the scores of the base learners; chain is the CRF's.
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

// Classifier is a trained detector. It is immutable and safe for concurrent use.
type Classifier struct {
	parts   Parts
	bases   bases
	encoder *dense.Encoder
	second  *stage // nil if the part is off
	bonus   bonus
	usual   float64 // novelty of the training documents, see [Classifier.Wary]
	trust   float64 // in the second stage, from leastTrust to 1
}

var _ greedy.BatchClassifier = (*Classifier)(nil)

// Parts are the parts that the detector was trained with.
func (c *Classifier) Parts() Parts { return c.parts }

// Weights is how many numbers training set: weights of the CRF and the blend, thresholds
// and values of the trees.
func (c *Classifier) Weights() int {
	n := 0
	if c.bases.crf != nil {
		n += c.bases.crf.Weights()
	}
	for _, m := range []*boost.Model{c.bases.trees, c.corrections()} {
		if m != nil {
			n += m.Numbers()
		}
	}
	if c.second != nil {
		n += len(c.second.blend)
	}
	return n
}

// Scores implements [greedy.Classifier].
func (c *Classifier) Scores(v annotate.View) []float64 { return c.ScoreAll([]annotate.View{v})[0] }

// Hard implements [greedy.Classifier]: sensitive if the probability is above one half.
func (c *Classifier) Hard(v annotate.View) []bool { return greedy.Likely(c.Scores(v)) }

// ScoreAll implements [greedy.BatchClassifier]: documents of one group are evidence for
// each other; with [Corpus] all are. Hidden tokens get 0.
func (c *Classifier) ScoreAll(views []annotate.View) [][]float64 {
	docs := make([]*evidence, len(views))
	for i, v := range views {
		var chain []float64
		if c.bases.crf != nil {
			chain = c.bases.crf.Scores(v)
		}
		c.encoder.Describe(v, func(x boost.Matrix) {
			c.parts.blind(x)
			docs[i] = newEvidence(v, c.bases.logOdds(chain, x), x)
		})
	}
	b, out := newBatch(c.parts, docs), make([][]float64, len(views))
	for i := range docs {
		out[i] = b.scores(i, c.second, c.trust, c.bonus)
	}
	return out
}

// HardAll is Hard of each view, given the others.
func (c *Classifier) HardAll(views []annotate.View) [][]bool {
	out := make([][]bool, len(views))
	for i, scores := range c.ScoreAll(views) {
		out[i] = greedy.Likely(scores)
	}
	return out
}

// scores are the probabilities of document i's tokens by a second stage, as far as it is
// trusted, and for the rest by the mean of the base learners.
func (b *batch) scores(i int, second *stage, trust float64, more bonus) []float64 {
	d := b.docs[i]
	var corrections []float64
	if second != nil {
		corrections = second.trees.LogOdds(b.columns(i))
	}
	out, row := make([]float64, len(d.wordOf)), 0
	for t := range out {
		if d.Hidden(t) {
			continue
		}
		f := d.mean()[t]
		if second != nil {
			f = trust*(second.blend.LogOdds(d.bases(), t)+corrections[row]) + (1-trust)*f
		}
		out[t] = greedy.Logistic(bounded(f + more[d.forms[t]]))
		row++
	}
	return out
}

// bonus is added to the log-odds of a pattern's tokens.
type bonus [dense.Patterns]float64

// certainlySensitive is the sensitive share of a pattern's training tokens that is
// required for a bonus. In a project that redacts only names, dates get none.
const certainlySensitive = 0.9

// learnBonus gives the bonus to patterns of which (s+1)/(n+2) of n training tokens,
// s of them sensitive, reach the share.
func learnBonus(docs []*evidence, points float64) bonus {
	var n, s [dense.Patterns]float64
	for _, d := range docs {
		for t, form := range d.forms {
			if !d.InTraining(t) {
				continue
			}
			n[form]++
			if d.Sensitive[t] {
				s[form]++
			}
		}
	}
	var out bonus
	for form := dense.NoPattern + 1; form < dense.Patterns; form++ {
		if (s[form]+1)/(n[form]+2) >= certainlySensitive {
			out[form] = points
		}
	}
	return out
}
