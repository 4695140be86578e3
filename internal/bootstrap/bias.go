// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"math"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf/score"
)

// Estimate is a figure with its 95 % interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Read is a finished note with the predictions of a model not trained on it.
type Read struct {
	Group    string           // its patient, the unit of resampling
	Assisted bool             // annotators saw suggestions; otherwise suggestions were hidden on purpose
	Document score.Prediction // annotations, and the model's predictions
}

// Bias compares notes annotated with visible suggestions with notes annotated without them,
// chosen at random. If suggestions make people overlook what the model misses, or accept
// its errors, the model scores better on the former: that part of its score is people
// agreeing with it. Differences are assisted minus blind.
type Bias struct {
	Blind     BiasSide `json:"blind"`
	Assisted  BiasSide `json:"assisted"`
	Recall    Estimate `json:"recall"`
	Precision Estimate `json:"precision"`
	Agreement Estimate `json:"agreement"`
	Marked    Estimate `json:"marked"`
}

// BiasSide has the figures of assisted or of blind notes.
type BiasSide struct {
	Documents int      `json:"documents"`
	Groups    int      `json:"groups"`    // patients, the units of resampling
	Recall    Estimate `json:"recall"`    // share of the annotated tokens that the model finds
	Precision Estimate `json:"precision"` // share of the model's tokens that people annotated
	Agreement Estimate `json:"agreement"` // share of the model's spans that people annotated exactly
	Marked    Estimate `json:"marked"`    // annotated tokens per 100
}

// BiasFrom is the number of patients needed on each side: with fewer, resampling
// underestimates their variation.
const BiasFrom = 5

// Known reports whether both sides have enough notes to compare. Otherwise all estimates
// are zero.
func (b Bias) Known() bool { return b.Blind.Groups >= BiasFrom && b.Assisted.Groups >= BiasFrom }

// BiasOf compares the two sides. Intervals come from 1000 resamples of patients with
// replacement, by seed.
func BiasOf(reads []Read, seed uint64) Bias {
	t := newBiasTable(reads)
	b := Bias{Blind: t.side(0), Assisted: t.side(1)}
	if !b.Known() {
		return b
	}
	draws := t.draws(seed)
	for _, f := range []struct {
		difference, blind, assisted *Estimate
		part, whole                 biasCount
		times                       float64
	}{
		{&b.Recall, &b.Blind.Recall, &b.Assisted.Recall, biasBoth, biasPeople, 1},
		{&b.Precision, &b.Blind.Precision, &b.Assisted.Precision, biasBoth, biasModel, 1},
		{&b.Agreement, &b.Blind.Agreement, &b.Assisted.Agreement, biasExact, biasSpans, 1},
		{&b.Marked, &b.Blind.Marked, &b.Assisted.Marked, biasPeople, biasTokens, 100},
	} {
		ratio := func(side int) func(sums) float64 {
			return func(s sums) float64 { return f.times * s.ratio(side, f.part, f.whole) }
		}
		*f.blind, *f.assisted = t.estimate(draws, ratio(0)), t.estimate(draws, ratio(1))
		*f.difference = t.estimate(draws, func(s sums) float64 { return ratio(1)(s) - ratio(0)(s) })
	}
	return b
}

// biasCount is a quantity counted in a note.
type biasCount int

const (
	biasBoth   biasCount = iota // tokens that both mark
	biasPeople                  // tokens that people annotated
	biasModel                   // tokens that the model marks
	biasExact                   // spans that both have
	biasSpans                   // spans that the model proposes
	biasTokens                  // tokens
	biasCounts
)

// sums are the counts of each side.
type sums [2]counts

func (s sums) ratio(side int, part, whole biasCount) float64 {
	return s[side][part] / s[side][whole] // NaN when the denominator is 0
}

func (s *sums) add(t sums) {
	for side := range s {
		for k := range s[side] {
			s[side][k] += t[side][k]
		}
	}
}

// biasTable has the counts of each patient. A patient may have notes on both sides.
type biasTable struct {
	groups    []sums
	documents [2]int
	present   [2]int // patients with a note of the side
}

func newBiasTable(reads []Read) *biasTable {
	t, number := &biasTable{}, map[string]int{}
	var seen [2]map[int]bool
	seen[0], seen[1] = map[int]bool{}, map[int]bool{}
	for _, r := range reads {
		g, known := number[r.Group]
		if !known {
			g = len(t.groups)
			number[r.Group] = g
			t.groups = append(t.groups, sums{})
		}
		side := 0
		if r.Assisted {
			side = 1
		}
		seen[side][g] = true
		t.documents[side]++
		t.groups[g][side].note(r.Document)
	}
	t.present = [2]int{len(seen[0]), len(seen[1])}
	return t
}

// counts are those of one side.
type counts [biasCounts]float64

// note adds the counts of one note.
func (c *counts) note(d score.Prediction) {
	gold := slices.SortedFunc(slices.Values(d.Spans), annotate.CompareSpans)
	var proposed []annotate.Span
	for _, p := range d.Predicted {
		proposed = append(proposed, p.Span)
		if _, exact := slices.BinarySearchFunc(gold, p.Span, annotate.CompareSpans); exact {
			c[biasExact]++
		}
	}
	slices.SortFunc(proposed, annotate.CompareSpans)
	people, _ := annotate.TokenLabels(d.Tokens, gold)
	model, _ := annotate.TokenLabels(d.Tokens, proposed)
	for i := range d.Tokens {
		c[biasPeople] += one(people[i] != "")
		c[biasModel] += one(model[i] != "")
		c[biasBoth] += one(people[i] != "" && model[i] != "")
	}
	c[biasSpans] += float64(len(proposed))
	c[biasTokens] += float64(len(d.Tokens))
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (t *biasTable) side(n int) BiasSide {
	return BiasSide{Documents: t.documents[n], Groups: t.present[n]}
}

const biasDraws = 1000

// draws are the sums of the resamples of patients with replacement.
func (t *biasTable) draws(seed uint64) []sums {
	random := rand.New(rand.NewPCG(seed, streamBias))
	out := make([]sums, biasDraws)
	for i := range out {
		for range t.groups {
			out[i].add(t.groups[random.IntN(len(t.groups))])
		}
	}
	return out
}

// estimate is a figure with its 2.5 % and 97.5 % quantiles over the resamples. Resamples
// without a value are skipped.
func (t *biasTable) estimate(draws []sums, figure func(sums) float64) Estimate {
	var all sums
	for _, g := range t.groups {
		all.add(g)
	}
	var values []float64
	for _, d := range draws {
		if v := figure(d); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	v := figure(all)
	if math.IsNaN(v) || len(values) == 0 {
		return Estimate{}
	}
	slices.Sort(values)
	tail := len(values) / 40
	return Estimate{v, min(v, values[tail]), max(v, values[len(values)-1-tail])}
}
