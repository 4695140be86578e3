// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"hide/internal/annotate"
)

// heldOut publishes each document once, by classifiers that never saw it or
// another one of its group.
type heldOut struct {
	docs  []annotate.Note
	p     Params
	parts []part
	work  pool // of the parts; trainings have a pool of their own
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

// publication is what would be published of the documents with one mode and L/C.
type publication struct {
	masks  [][]bool    // what is redacted
	hard   [][]bool    // marks of the papers' attacker, who trained on the training residual
	scores [][]float64 // and her scores
	rounds []int       // |H| per part
	at     []float64   // the L/C for which a part was redacted; see [Params].Ceiling
	tried  [][]Round   // all rounds per part
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
	pub := &publication{make([][]bool, len(h.docs)), make([][]bool, len(h.docs)), make([][]float64, len(h.docs)), make([]int, len(h.parts)), make([]float64, len(h.parts)), make([][]Round, len(h.parts))}
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
	pub.rounds[f], pub.at[f], pub.tried[f] = len(s.h), at, s.rounds
	test := make([]annotate.Note, len(p.test))
	for k, i := range p.test {
		test[k] = h.docs[i]
	}
	if mode == Default {
		if s.h, err = s.h.Attuned(ctx, test); err != nil {
			return err
		}
	}
	masks := s.h.RedactAll(test)
	all := views(test, masks)
	hard, scores := HardAll(attacker, all), ScoreAll(attacker, all)
	for k, i := range p.test {
		pub.masks[i], pub.hard[i], pub.scores[i] = masks[k], hard[k], scores[k]
	}
	p.lab.forget()
	return ctx.Err()
}
