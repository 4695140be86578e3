// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/audit"
	"hide/internal/greedy/drift"
)

// Training is the source of the training documents.
type Training string

// The other half of the documents is published or, with Elsewhere, half of the documents
// of another institution.
const (
	AtRandom     Training = "random"    // a random half, so that estimates hold
	MostDoubtful Training = "doubt"     // as many, in the order of a project's queue without its random draws
	Elsewhere    Training = "elsewhere" // a random half
)

// Warning is the warnings about a publication, and what remained in it.
type Warning struct {
	Training Training
	LC       float64
	Drift    bool            // the drift warning, from the texts alone, without institution and kind
	Selected int             // training documents that were not sampled at random
	Expected greedy.Estimate // missed tokens, estimated from the training documents
	Audited  greedy.Estimate // the same, estimated by the audit
	Missed   float64         // the true number
}

// Warns reports whether the publisher is warned: by the drift warning, or by the record
// of which documents were sampled at random, which a project keeps whatever the documents
// contain.
func (w Warning) Warns() bool { return w.Drift || w.Selected > 0 }

// Audit is how many documents are read: the most doubtful ones, and random others.
type Audit struct{ Random, Selected int }

// Warn trains and publishes as Draw does, once for each [Training], Elsewhere only if
// there are foreign documents, and runs the drift warning and an audit whose readers
// overlook nothing. It needs the places of tokens.
func Warn(ctx context.Context, docs, foreign []annotate.Note, p greedy.Params, a Audit, number uint64) ([]Warning, error) {
	learn, publish := Halves(docs, p.Seed+number)
	out, err := warn(ctx, AtRandom, learn, publish, p, a, number)
	if err != nil {
		return nil, fmt.Errorf("draw %d: %w", number, err)
	}
	picked, rest, err := selectDoubtful(ctx, docs, len(learn), p.Seed+number)
	if err != nil {
		return nil, fmt.Errorf("draw %d: %w", number, err)
	}
	more, err := warn(ctx, MostDoubtful, picked, rest, p, a, number)
	if err != nil {
		return nil, fmt.Errorf("draw %d, documents picked: %w", number, err)
	}
	for i := range more {
		more[i].Selected = len(picked) - drawnFirst(len(picked))
	}
	if out = append(out, more...); len(foreign) == 0 {
		return out, nil
	}
	there, _ := Halves(foreign, p.Seed+number)
	more, err = warn(ctx, Elsewhere, learn, there, p, a, number)
	if err != nil {
		return nil, fmt.Errorf("draw %d, documents of another institution: %w", number, err)
	}
	return append(out, more...), nil
}

// warn is one draw: what chance decides of its comparison and audit is its own.
func warn(ctx context.Context, from Training, learn, publish []annotate.Note, p greedy.Params, a Audit, number uint64) ([]Warning, error) {
	seed := p.Seed + number
	r, err := greedy.Sanitize(ctx, learn, p, nil)
	if err != nil {
		return nil, err
	}
	expected := expectedOf(r, learn, publish)
	reference, target, err := profiles(ctx, learn, publish)
	if err != nil {
		return nil, err
	}
	report, err := drift.Compare(ctx, reference, target, seed)
	if err != nil {
		return nil, err
	}
	if err := adapt(ctx, r, greedy.Publication{Docs: publish, Differs: report.Warns()}); err != nil {
		return nil, err
	}
	plan := audit.Draw(doubts(target), a.Random, a.Selected, seed)
	out := make([]Warning, len(r.Choices))
	for i, c := range r.Choices {
		left := missedIn(publish, c.Classifiers.RedactAll(publish))
		found := audit.Count(len(publish), of(left, plan.Random), of(left, plan.Selected), seed)
		out[i] = Warning{Training: from, LC: c.LC, Drift: report.Warns(), Expected: expected[i], Audited: found.Remaining, Missed: float64(sum(left))}
	}
	return out, ctx.Err()
}

// selectDoubtful takes n documents in the order of a queue that draws only the first at
// random: each the most useful one for the newest model, which is trained again after
// half as many more.
func selectDoubtful(ctx context.Context, docs []annotate.Note, n int, seed uint64) (picked, rest []annotate.Note, err error) {
	order := rand.New(rand.NewPCG(seed, streamPick)).Perm(len(docs))
	first := drawnFirst(n)
	taken, open := slices.Clone(order[:first]), slices.Clone(order[first:])
	for len(taken) < n {
		model, _, err := crf.Train(ctx, each(docs, taken), crf.Options{Binary: true})
		if err != nil {
			return nil, nil, err
		}
		looks := make([]bootstrap.Look, len(open))
		for i, d := range each(docs, open) {
			looks[i] = bootstrap.LookAt(model, d)
		}
		var since []bootstrap.Look
		for more := min(n-len(taken), max(1, len(taken)/2)); len(since) < more; {
			at := bootstrap.MostUseful(looks, since)
			since, taken = append(since, looks[at]), append(taken, open[at])
			looks, open = slices.Delete(looks, at, at+1), slices.Delete(open, at, at+1)
		}
	}
	return of(docs, taken), of(docs, open), nil
}

// drawnFirst is how many of n documents a queue draws at random, before it has a model.
func drawnFirst(n int) int { return min(bootstrap.BeforeModel, n) }

const streamPick = 3 // of the seeded generator

func each(docs []annotate.Note, which []int) []annotate.View {
	out := make([]annotate.View, len(which))
	for i, d := range which {
		out[i] = new(bare(docs[d])).View()
	}
	return out
}

// profiles are those of both sides; none, and no warning, if too little is sensitive to
// train on.
func profiles(ctx context.Context, learn, publish []annotate.Note) (reference, target []drift.Profile, err error) {
	known := bareAll(learn)
	reference, target, err = drift.Profiles(ctx, known, known, bareAll(publish))
	if errors.Is(err, drift.ErrNothingSensitive) {
		return nil, make([]drift.Profile, len(publish)), nil
	}
	return reference, target, err
}

// bare is the note without its structured fields: only the text and the group are
// left.
func bare(d annotate.Note) annotate.Note {
	d.Known, d.Identities, d.Attributes = nil, nil, nil
	return d
}

func bareAll(docs []annotate.Note) []annotate.Note {
	out := slices.Clone(docs)
	for i := range out {
		out[i] = bare(out[i])
	}
	return out
}

func doubts(profiles []drift.Profile) []float64 {
	out := make([]float64, len(profiles))
	for i, p := range profiles {
		out[i] = p.Doubt
	}
	return out
}

// of selects elements by index.
func of[T any](all []T, which []int) []T {
	out := make([]T, len(which))
	for i, k := range which {
		out[i] = all[k]
	}
	return out
}

// Warnings counts how often the drift warning warned, and expectations and audits held.
type Warnings struct {
	Training  Training
	LC        float64
	Draws     int
	Drift     int     // by the drift warning
	Warned    int     // by the drift warning or the record; see [Warned.Warns]
	Expected  float64 // mean
	Predicted Held
	Found     float64 // by the audits' estimate, mean
	Audited   Held
}

// Sum sums draws up by what was trained on and L/C, in order of the first draw.
func Sum(draws [][]Warning) []Warnings {
	var out []Warnings
	n := float64(len(draws))
	for k := range len(draws[0]) {
		w := Warnings{Training: draws[0][k].Training, LC: draws[0][k].LC, Draws: len(draws)}
		for _, d := range draws {
			if d[k].Drift {
				w.Drift++
			}
			if d[k].Warns() {
				w.Warned++
			}
			w.Expected, w.Found = w.Expected+d[k].Expected.Value/n, w.Found+d[k].Audited.Value/n
			w.Predicted.add(d[k].Expected, d[k].Missed, n)
			w.Audited.add(d[k].Audited, d[k].Missed, n)
		}
		out = append(out, w)
	}
	return out
}

// Drawn is the expectation for a publication, and what remained in it.
type Drawn struct {
	LC       float64
	Expected greedy.Estimate // missed tokens, estimated from the training half
	Missed   float64         // missed tokens in the other half, as published
	Measured float64         // by the classifiers of Expected: in default mode, before their prior-shift correction
}

// Draw trains on a random half of the documents, groups kept whole, publishes the other,
// and compares the missed PHI with the expectation: one result per L/C. In paper mode the
// expectation is the one on held-out documents, if there is one. p is as for
// [greedy.Sanitize]; number decides the draw.
func Draw(ctx context.Context, docs []annotate.Note, p greedy.Params, number uint64) ([]Drawn, error) {
	learn, publish := Halves(docs, p.Seed+number)
	r, err := greedy.Sanitize(ctx, learn, p, nil)
	if err != nil {
		return nil, fmt.Errorf("draw %d: %w", number, err)
	}
	measured, err := missedBy(ctx, r.Choices, publish)
	if err != nil {
		return nil, err
	}
	expected := expectedOf(r, learn, publish)
	if err := adapt(ctx, r, greedy.Publication{Docs: publish}); err != nil {
		return nil, fmt.Errorf("draw %d: %w", number, err)
	}
	published, err := missedBy(ctx, r.Choices, publish)
	if err != nil {
		return nil, err
	}
	out := make([]Drawn, len(r.Choices))
	for i, c := range r.Choices {
		out[i] = Drawn{c.LC, expected[i], published[i], measured[i]}
	}
	return out, nil
}

// expectedOf is the expected missed PHI of each choice in the publication.
func expectedOf(r *greedy.Result, learn, publish []annotate.Note) []greedy.Estimate {
	_, n := numbered(learn)
	_, m := numbered(publish)
	out := make([]greedy.Estimate, len(r.Choices))
	for i, c := range r.Choices {
		out[i] = c.Outcome.Unseen().Residual.Times(float64(m) / float64(n))
	}
	return out
}

// adapt adapts the classifiers of default mode to a publication.
func adapt(ctx context.Context, r *greedy.Result, p greedy.Publication) error {
	if r.Mode != greedy.Default {
		return nil
	}
	_, err := r.AdaptTo(ctx, p)
	return err
}

// missedBy is the missed PHI of each choice.
func missedBy(ctx context.Context, choices []greedy.Choice, publish []annotate.Note) ([]float64, error) {
	out := make([]float64, len(choices))
	for i, c := range choices {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = float64(sum(missedIn(publish, c.Classifiers.RedactAll(publish))))
	}
	return out, nil
}

// Halves deals documents into two, groups kept whole.
func Halves(docs []annotate.Note, seed uint64) (learn, publish []annotate.Note) {
	names := make([]string, len(docs))
	for i, d := range docs {
		names[i] = d.Group
	}
	half, _ := greedy.Deal(names, 2, seed)
	for i, d := range docs {
		if half[i] == 0 {
			learn = append(learn, d)
		} else {
			publish = append(publish, d)
		}
	}
	return learn, publish
}

// missedIn counts the missed tokens of each document.
func missedIn(docs []annotate.Note, masks [][]bool) []int {
	out := make([]int, len(docs))
	for i := range docs {
		for x, sensitive := range docs[i].Sensitive {
			if sensitive && !masks[i][x] {
				out[i]++
			}
		}
	}
	return out
}

func sum(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// Coverage says how often expectations held.
type Coverage struct {
	LC       float64
	Draws    int
	Expected float64 // mean
	Width    float64 // of the interval, mean
	Held             // of the publication
	Measured Held    // of the same before the prior-shift correction
}

// Held counts how often the missed PHI was as expected.
type Held struct {
	Covered int     // the interval held it
	AtMost  int     // it was no more than the bound
	Missed  float64 // mean
}

// add counts one of n draws.
func (h *Held) add(e greedy.Estimate, left, n float64) {
	if e.Low <= left && left <= e.High {
		h.Covered++
	}
	if left <= e.AtMost {
		h.AtMost++
	}
	h.Missed += left / n
}

// Cover sums draws up by L/C, in order of the first draw.
func Cover(draws [][]Drawn) []Coverage {
	var out []Coverage
	n := float64(len(draws))
	for k := range len(draws[0]) {
		c := Coverage{LC: draws[0][k].LC, Draws: len(draws)}
		for _, d := range draws {
			e := d[k].Expected
			c.Held.add(e, d[k].Missed, n)
			c.Measured.add(e, d[k].Measured, n)
			c.Expected, c.Width = c.Expected+e.Value/n, c.Width+(e.High-e.Low)/n
		}
		out = append(out, c)
	}
	return out
}
