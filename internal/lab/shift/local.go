// SPDX-License-Identifier: Apache-2.0

package shift

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/drift"
	"hide/internal/greedy/study"
	"hide/internal/lab"
)

// Local is what some annotated notes of the published kind change. The notes published are
// halved by patients: notes are chosen from one half, and the other half is published.
type Local struct {
	Notes    int     `json:"notes"`
	Chosen   bool    `json:"chosen"` // by drift.ToAnnotate; otherwise at random
	Tokens   int     `json:"tokens"` // of the local notes
	LC       float64 `json:"lc"`
	Forecast Shares  `json:"forecast"`
	Warns    bool    `json:"warns"` // the drift warning, after training with the local notes
	Shares   Shares  `json:"published"`
	Loss     float64 `json:"loss"`
	Left     float64 `json:"left"` // of the missed tokens without local notes; 1 if there are none
}

// streamLocal keeps the random choice apart from other draws of the seed.
const streamLocal = 0x6c6f63616c

// local measures each number of local notes, chosen and at random.
func (m *meter) local(ctx context.Context, learnt, published []annotate.Note) ([]Local, error) {
	if len(m.o.Local) == 0 {
		return nil, nil
	}
	pool, rest := study.Halves(published, m.o.Seed+1)
	chosen, err := chosenOf(ctx, learnt, pool, slices.Max(m.o.Local))
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(m.o.Seed, streamLocal)).Perm(len(pool))
	out, err := m.withLocal(ctx, learnt, nil, rest)
	if err != nil {
		return nil, err
	}
	none := out
	for _, k := range m.o.Local {
		for at, order := range [][]int{chosen, random} {
			lines, err := m.withLocal(ctx, learnt, notesAt(pool, order[:min(k, len(order))]), rest)
			if err != nil {
				return nil, fmt.Errorf("%d local notes: %w", k, err)
			}
			for i := range lines {
				lines[i].Chosen = at == 0
				if none[i].Shares.Missed > 0 {
					lines[i].Left = lines[i].Shares.Missed / none[i].Shares.Missed
				}
			}
			out = append(out, lines...)
		}
	}
	return out, nil
}

// chosenOf is the product's own choice.
func chosenOf(ctx context.Context, learnt, pool []annotate.Note, n int) ([]int, error) {
	known, target, err := drift.Profiles(ctx, learnt, learnt, pool)
	return drift.ToAnnotate(known, target, n), err
}

// notesAt are some of the notes, marked as selected: no estimate counts them.
func notesAt(docs []annotate.Note, at []int) []annotate.Note {
	var out []annotate.Note
	for _, i := range at {
		d := docs[i]
		d.Selected = true
		out = append(out, d)
	}
	return out
}

// withLocal trains on the annotated and the local notes, and publishes the rest.
func (m *meter) withLocal(ctx context.Context, learnt, local, rest []annotate.Note) ([]Local, error) {
	train := slices.Concat(learnt, local)
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
		l := Local{Notes: len(local), Tokens: lab.CorpusOf(local).Tokens, LC: c.LC, Forecast: forecast(c.Outcome), Warns: report.Warns(), Left: 1}
		l.Shares, l.Loss = judge(rest, c.Classifiers.RedactAll(rest), c.LC)
		out = append(out, l)
	}
	return out, nil
}
