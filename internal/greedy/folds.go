// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/parallel"
)

// Streams of the seeded generator, one per use, so that a new use does not shift the
// others. They are part of the meaning of a seed: do not change them.
const (
	streamFolds    = 1 // cross-fitting
	streamHalves   = 2 // the ranked attacker
	streamResample = 3 // intervals
	streamPublish  = 4 // the outer folds of an experiment
)

// assign puts each document into one of at most folds folds, keeping groups
// together: groups in order of first appearance are shuffled and dealt out. It
// returns the fold per document and the number of folds, which is smaller than
// asked when there are fewer groups.
func assign(docs []annotate.Note, folds int, seed, stream uint64) ([]int, int) {
	group, n := groups(docs)
	folds = min(folds, n)
	place := rand.New(rand.NewPCG(seed, stream)).Perm(n)
	fold := make([]int, len(docs))
	for i, g := range group {
		fold[i] = place[g] % folds
	}
	return fold, folds
}

// groups are [Groups] of documents.
func groups(docs []annotate.Note) (number []int, n int) {
	return Groups(docs, func(d annotate.Note) string { return d.Group })
}

// Groups numbers the groups of things in order of first appearance, from 0, and
// returns the number of each thing's group and how many there are.
func Groups[T any](things []T, group func(T) string) (number []int, n int) {
	of := map[string]int{}
	number = make([]int, len(things))
	for i, t := range things {
		g, seen := of[group(t)]
		if !seen {
			g = len(of)
			of[group(t)] = g
		}
		number[i] = g
	}
	return number, len(of)
}

// Deal puts each of several things, by the group that each belongs to, into one
// of at most folds folds, none empty, and keeps groups whole. It returns the fold
// of each and the number of folds, which is smaller than asked when there are fewer
// groups. It is for learners and attackers that hold documents out of their own
// training: its folds, those of [crf.Folds], have nothing to do with [Params].
func Deal(groups []string, folds int, seed uint64) ([]int, int) {
	distinct := map[string]bool{}
	for _, g := range groups {
		distinct[g] = true
	}
	folds = min(folds, len(distinct))
	fold, err := crf.Folds(groups, folds, seed)
	if err != nil { // nothing to divide
		return make([]int, len(groups)), folds
	}
	return fold, folds
}

// mostAccurate is the step of Algorithm 1 with held-out counts: h_k is the most accurate
// learner (tkde equation 3), redacts by its hard labels and pays or not, all on documents
// that it was not trained on.
func (l *lab) mostAccurate(ctx context.Context, s *solution, _ float64) (move, error) {
	l.lasting[HashMasks(s.last())] = true
	var best move
	for i := range l.learners {
		out, err := l.outOfFold(ctx, i, s.last())
		if err != nil {
			return move{}, err
		}
		m := l.byLabels(i, s.last(), out)
		if c := m.cut.counts; i == 0 || c.FP+c.FN < best.cut.counts.FP+best.cut.counts.FN {
			best = m
		}
	}
	return best, nil
}

// heldOut publishes each document once, by classifiers that were not trained on it or
// another one of its group.
type heldOut struct {
	docs  []annotate.Note
	p     Params
	parts []part
	work  pool // of the parts; trainings have a pool of their own

	remove *Context // see [Trial].Remove
}

// PublishFolds are the folds in which an [Experiment] publishes: the fold of each
// document, and how many there are. Groups are kept whole.
func PublishFolds(docs []annotate.Note, folds int, seed uint64) ([]int, int) {
	return assign(docs, folds, seed, streamPublish)
}

// part is one fold: what is published, and the lab that trains on the rest.
type part struct {
	lab  *lab
	test []int // indices into docs
}

// publication is the text of the documents as published with one mode and L/C.
type publication struct {
	masks  [][]bool    // what is redacted
	hard   [][]bool    // marks of the papers' attacker, who trained on the training residual
	scores [][]float64 // and her scores
	rounds []int       // |H| per part
	at     []float64   // the L/C for which a part was redacted; see [Params].Ceiling
	tried  [][]Round   // all rounds per part

	removed    []int     // contextual identifiers per part
	dimensions []float64 // of the class, per part; see [Dimension]
}

func newHeldOut(docs []annotate.Note, p Params, work pool, trained func(string, int, int)) *heldOut {
	fold, folds := PublishFolds(docs, p.Folds, p.Seed)
	h := &heldOut{docs: docs, p: p, work: newPool(p.Workers)}
	for f := range folds {
		var rest []annotate.Note
		var test []int
		for i, d := range docs {
			if fold[i] == f {
				test = append(test, i)
			} else {
				rest = append(rest, d)
			}
		}
		l := newLab(rest, p, work)
		l.trained = trained
		h.parts = append(h.parts, part{l, test})
	}
	return h
}

func (h *heldOut) publish(ctx context.Context, mode Mode, lc float64) (*publication, error) {
	n, parts := len(h.docs), len(h.parts)
	pub := &publication{make([][]bool, n), make([][]bool, n), make([][]float64, n), make([]int, parts), make([]float64, parts), make([][]Round, parts), make([]int, parts), make([]float64, parts)}
	err := h.work.each(ctx, len(h.parts), func(ctx context.Context, f int) error {
		return h.publishPart(ctx, mode, lc, f, pub)
	})
	return pub, err
}

func (h *heldOut) publishPart(ctx context.Context, mode Mode, lc float64, f int, pub *publication) error {
	p := h.parts[f]
	solve := func(at float64) (*solution, error) { return p.lab.solve(ctx, mode, at, h.p.MaxRounds, ignore) }
	s, at, err := p.lab.under(ctx, lc, h.p.ceiling(mode, countTokens(p.lab.docs), countTokens(h.docs)), h.p, solve)
	if err != nil {
		return err
	}
	attacker, _, err := p.lab.attacker(ctx, s.last())
	if err != nil {
		return err
	}
	pub.rounds[f], pub.at[f], pub.tried[f], pub.dimensions[f] = len(s.h), at, s.rounds, s.h.dimension(attacker)
	test := make([]annotate.Note, len(p.test))
	for k, i := range p.test {
		test[k] = h.docs[i]
	}
	if mode == Default {
		if s.h, err = s.h.PriorCorrected(ctx, test); err != nil {
			return err
		}
	}
	masks := s.h.RedactAll(test)
	if h.remove != nil {
		before := countMasked(masks)
		if masks, _, err = RemoveContext(test, masks, *h.remove); err != nil {
			return err
		}
		pub.removed[f] = countMasked(masks) - before
	}
	all := views(test, masks)
	hard, scores := HardAll(attacker, all), ScoreAll(attacker, all)
	for k, i := range p.test {
		pub.masks[i], pub.hard[i], pub.scores[i] = masks[k], hard[k], scores[k]
	}
	p.lab.dropOldTrainings()
	return ctx.Err()
}

// Sampling says which tokens of its documents training uses; the CRF's own learners have
// the same.
type Sampling = crf.Sampling

// Sample adds to [View.Skip] the tokens that a sampling leaves out of training
// (dissertation, section 4.5; [Sampling] has the rule). Costs are those of the categories
// of tokens, though learners distinguish only sensitive from other ones. Every learner
// with a sampling trains on the output of Sample.
//
// Neither class is sampled away: if no sensitive token, or no other one, would be left,
// all of that class stay. Random numbers depend on the text of a view under its mask, so
// a round that redacts more of a document draws again for it.
func Sample(views []annotate.View, s Sampling) []annotate.View {
	if s.Everything() {
		return views
	}
	out := slices.Clone(views)
	for i, v := range views {
		out[i].Skip = s.Skips(v)
	}
	left, other := taught(out)
	if left > 0 && other > 0 {
		return out
	}
	for i, v := range views {
		for x := range v.Words {
			if !v.Hidden(x) && (v.Remaining(x) && left == 0 || !v.Remaining(x) && other == 0) {
				out[i].Skip[x] = v.Skipped(x)
			}
		}
	}
	return out
}

// taught counts the tokens used in training: sensitive ones and others.
func taught(views []annotate.View) (left, other int) {
	for _, v := range views {
		for x := range v.Words {
			switch {
			case !v.InTraining(x):
			case v.Remaining(x):
				left++
			default:
				other++
			}
		}
	}
	return left, other
}

func countTokens(docs []annotate.Note) int {
	n := 0
	for i := range docs {
		n += len(docs[i].Words)
	}
	return n
}

func countMasked(masks [][]bool) int {
	n := 0
	for _, mask := range masks {
		for _, hidden := range mask {
			if hidden {
				n++
			}
		}
	}
	return n
}

func views(docs []annotate.Note, masks [][]bool) []annotate.View {
	out := make([]annotate.View, len(docs))
	for i := range docs {
		out[i] = annotate.View{Note: &docs[i], Redacted: masks[i]}
	}
	return out
}

// nothing is the mask that redacts no token.
func nothing(docs []annotate.Note) [][]bool {
	masks := make([][]bool, len(docs))
	for i, d := range docs {
		masks[i] = make([]bool, len(d.Words))
	}
	return masks
}

// union returns a new mask: P(H u h) = P(H) minus what h marks.
func union(a, b []bool) []bool {
	out := make([]bool, len(a))
	for i := range a {
		out[i] = a[i] || b[i]
	}
	return out
}

// pool limits how many pieces of work run at a time.
type pool chan struct{}

func newPool(workers int) pool { return make(pool, workers) }

// each runs fn(0) to fn(n-1), waits for those it started, and returns the error of the
// lowest index, real failures before cancellations. A panic of fn is an error. After an
// error nothing more is started. fn writes its result to its own place, so that results
// do not depend on the order.
func (p pool) each(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		p <- struct{}{}
		if errs[i] = ctx.Err(); errs[i] != nil {
			<-p
			break
		}
		running.Go(func() {
			defer func() { <-p }()
			if errs[i] = parallel.Guard(func() error { return fn(ctx, i) }); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	return first(errs)
}

// first prefers a real failure to the cancellations that it caused.
func first(errs []error) error {
	var cancelled error
	for _, err := range errs {
		if err == nil {
			continue
		}
		if !isCancel(err) {
			return err
		}
		if cancelled == nil {
			cancelled = err
		}
	}
	return cancelled
}

// Parallel runs fn(0) to fn(n-1), at most workers at a time, waits for those it started,
// and returns the error of the lowest index that is not a cancellation. A panic of fn is
// an error; after an error nothing more is started. fn writes its result to its own
// place, so that results do not depend on the order.
func Parallel(ctx context.Context, workers, n int, fn func(ctx context.Context, i int) error) error {
	return newPool(max(workers, 1)).each(ctx, n, fn)
}
