// SPDX-License-Identifier: Apache-2.0

package shift

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/drift"
	"hide/internal/greedy/local"
	"hide/internal/greedy/study"
	"hide/internal/lab"
)

// Local is what some annotated notes of the published kind change. The notes published are
// halved by patients: notes are taken from one half, and the other half is published.
type Local struct {
	Notes    int     `json:"notes"`
	Draw     int     `json:"draw"`   // of a random order of the notes; 0: advised by drift.ToAnnotate
	Tokens   int     `json:"tokens"` // of the local notes
	LC       float64 `json:"lc"`
	Forecast Shares  `json:"forecast"`
	Warns    bool    `json:"warns"` // the drift warning, after training with the local notes
	Shares   Shares  `json:"published"`
	Loss     float64 `json:"loss"`
	Left     float64 `json:"left"` // of the missed tokens without local notes; 1 if there are none

	Foretold []Foretold `json:"foretold,omitempty"`
}

// Foretold is the prediction from some of the local notes.
type Foretold struct {
	From int `json:"from"`
	local.Prediction
}

// streamLocal keeps the random choice apart from other draws of the seed.
const streamLocal = 0x6c6f63616c

// local measures each number of local notes, chosen and at random.
func (m *meter) local(ctx context.Context, learnt, published []annotate.Note) ([]Local, error) {
	if len(m.o.Local) == 0 {
		return nil, nil
	}
	pool, rest := study.Halves(published, m.o.Seed+1)
	advised, err := advisedOf(ctx, learnt, pool, slices.Max(m.o.Local), m.o.Seed)
	if err != nil {
		return nil, err
	}
	out, err := m.withLocal(ctx, learnt, nil, rest)
	if err != nil {
		return nil, err
	}
	none, random := out, rand.New(rand.NewPCG(m.o.Seed, streamLocal))
	for draw := range max(1, m.o.Draws) + 1 {
		order := advised
		if draw > 0 {
			order = atRandom(random.Perm(len(pool)))
		}
		lines, err := m.inOrder(ctx, learnt, notesAt(pool, order), order, rest, none)
		if err != nil {
			return nil, err
		}
		for i := range lines {
			lines[i].Draw = draw
		}
		out = append(out, lines...)
	}
	return out, nil
}

// inOrder measures the numbers of local notes, taken in their order.
func (m *meter) inOrder(ctx context.Context, learnt, pool []annotate.Note, order []drift.Advised, rest []annotate.Note, none []Local) ([]Local, error) {
	var out []Local
	foretold := map[float64]map[int][]Foretold{}
	for _, k := range m.o.Local {
		if k > len(pool) {
			continue
		}
		lines, err := m.withLocal(ctx, learnt, pool[:k], rest)
		if err != nil {
			return nil, fmt.Errorf("%d local notes: %w", k, err)
		}
		for i := range lines {
			l := &lines[i]
			if l.Foretold = foretold[l.LC][k]; none[i].Shares.Missed > 0 {
				l.Left = l.Shares.Missed / none[i].Shares.Missed
			}
		}
		out = append(out, lines...)
		if k == slices.Max(m.o.Local) {
			continue
		}
		if err := m.foretell(ctx, learnt, pool[:k], order[:k], foretold); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// foretell adds what some local notes say of larger numbers, by L/C and number.
func (m *meter) foretell(ctx context.Context, learnt, notes []annotate.Note, order []drift.Advised, foretold map[float64]map[int][]Foretold) error {
	random := make([]bool, len(order))
	for i, a := range order {
		random[i] = a.Random
	}
	c, err := local.Measure(ctx, learnt, notes, random, local.Options{Learner: detect.Detector{Options: m.detector}, Workers: m.o.Workers, Seed: m.o.Seed})
	if errors.Is(err, local.ErrFew) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, lc := range m.o.LC {
		if foretold[lc] == nil {
			foretold[lc] = map[int][]Foretold{}
		}
		for _, p := range c.Predict(lc, m.o.Local...) {
			if p.Notes > len(notes) {
				foretold[lc][p.Notes] = append(foretold[lc][p.Notes], Foretold{len(notes), p})
			}
		}
	}
	return nil
}

// advisedOf is the product's own choice.
func advisedOf(ctx context.Context, learnt, pool []annotate.Note, n int, seed uint64) ([]drift.Advised, error) {
	known, target, err := drift.Profiles(ctx, learnt, learnt, pool)
	return drift.ToAnnotate(known, target, n, seed), err
}

func atRandom(order []int) []drift.Advised {
	out := make([]drift.Advised, len(order))
	for i, at := range order {
		out[i] = drift.Advised{At: at, Random: true}
	}
	return out
}

// notesAt are some of the notes, marked as selected: no estimate of a run counts them.
func notesAt(docs []annotate.Note, order []drift.Advised) []annotate.Note {
	var out []annotate.Note
	for _, a := range order {
		d := docs[a.At]
		d.Selected = true
		out = append(out, d)
	}
	return out
}

// withLocal trains on the annotated and the local notes, and publishes the rest.
func (m *meter) withLocal(ctx context.Context, learnt, notes, rest []annotate.Note) ([]Local, error) {
	train := slices.Concat(learnt, slices.Repeat(notes, max(1, m.o.LocalTimes)))
	report, err := drift.Between(ctx, train, rest, m.o.Seed)
	if err != nil {
		return nil, err
	}
	r, _, err := m.run(ctx, methodDefault, train, greedy.Publication{Docs: rest, Differs: report.Warns()})
	if err != nil {
		return nil, err
	}
	var out []Local
	for _, c := range r.Choices {
		l := Local{Notes: len(notes), Tokens: lab.CorpusOf(notes).Tokens, LC: c.LC, Forecast: forecast(c.Outcome), Warns: report.Warns(), Left: 1}
		l.Shares, l.Loss = judge(rest, c.Classifiers.RedactAll(rest), c.LC)
		out = append(out, l)
	}
	return out, nil
}
