// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
)

// drawn are documents of which a share is sensitive, with the scores of a detector
// that was right about documents of which the share q was: what it sees of a token is
// normal, with mean 3 for sensitive ones and 0 for the others, so that its log-odds
// are 3 (x - 3/2) + log(q/(1-q)).
func drawn(documents, tokens int, share, q float64) ([]annotate.View, [][]float64) {
	r := rand.New(rand.NewPCG(3, uint64(documents)))
	views, scores := make([]annotate.View, documents), make([][]float64, documents)
	for i := range views {
		d := &annotate.Note{Words: make([]string, tokens), Sensitive: make([]bool, tokens)}
		for t := range tokens {
			x := r.NormFloat64()
			if d.Sensitive[t] = r.Float64() < share; d.Sensitive[t] {
				x += 3
			}
			scores[i] = append(scores[i], greedy.Logistic(3*(x-1.5)+greedy.LogOdds(q, 0)))
		}
		views[i].Note = d
	}
	return views, scores
}

func odds(p float64) float64 { return p / (1 - p) }

func TestAHigherShareIsFoundWithoutLabels(t *testing.T) {
	for _, share := range []float64{.02, .03, .05} {
		views, scores := drawn(200, 200, share, .02)
		want := odds(share) / odds(.02)
		if got := rise(views, scores, .02); got < .9*want || got > 1.1*want {
			t.Errorf("share %g: odds rise by %g, want %g", share, got, want)
		}
	}
}

func TestALowerShareLowersNothing(t *testing.T) {
	views, scores := drawn(200, 200, .005, .02)
	if got := rise(views, scores, .02); got != 1 {
		t.Errorf("odds rise by %g", got)
	}
}

func TestADetectorUnsureOfEverythingDoesNotTakeEverything(t *testing.T) {
	views, scores := drawn(100, 100, .5, .02)
	for i := range scores {
		for x := range scores[i] {
			scores[i][x] = .2
		}
	}
	if got := rise(views, scores, .02); got != mostRise {
		t.Errorf("odds rise by %g, want %d", got, mostRise)
	}
}

func TestANoteByItselfMovesLittle(t *testing.T) {
	views, scores := drawn(1, 30, .2, .05)
	if got := rise(views, scores, .05); got > 1.2 {
		t.Errorf("odds rise by %g", got)
	}
}

func TestHiddenTokensSayNothingOfTheShare(t *testing.T) {
	views, scores := drawn(100, 100, .06, .02)
	for i := range views {
		views[i].Redacted = make([]bool, 100)
		for x, p := range scores[i] {
			views[i].Redacted[x] = p > .02
		}
	}
	if got := rise(views, scores, .02); got != 1 {
		t.Errorf("odds rise by %g", got)
	}
}

// TestAttunedScoresAreThoseWithMoreOdds corrects to the note with the highest share of
// sensitive tokens, a hundred times.
func TestAttunedScoresAreThoseWithMoreOdds(t *testing.T) {
	views := notes(9, 3)
	c, fixed := mustTrain(t, small(Default), views), mustTrain(t, small(Default&^Share), views)
	densest := slices.MaxFunc(views, func(a, b annotate.View) int { return cmp.Compare(density(a), density(b)) })
	many := slices.Repeat([]annotate.View{densest}, 100)
	r := rise(many, c.ScoreAll(many), c.encoder.Share())
	if none, err := fixed.Rise(t.Context(), many); r < 1.05 || none != 1 || err != nil {
		t.Fatalf("the odds rise by %g, and without the part nothing may", r)
	}
	before := c.Scores(densest)
	said, err := c.Rise(t.Context(), many)
	attuned := c.Raised(r)
	if err != nil || said != r {
		t.Fatalf("odds rise by %g, %v; want %g", said, err, r)
	}
	for x, p := range attuned.Scores(densest) {
		if want := r * before[x] / (r*before[x] + 1 - before[x]); math.Abs(p-want) > 1e-5 {
			t.Fatalf("token %d: %g, want %g", x, p, want)
		}
	}
	raw, err := attuned.(*Classifier).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := Decode(raw); err != nil || !slices.Equal(back.Scores(densest), attuned.Scores(densest)) {
		t.Errorf("it comes back different: %v", err)
	}
	if !slices.Equal(c.Scores(densest), before) {
		t.Error("attuning changed the classifier")
	}
}

func TestAttuningEndsWhenItIsCancelled(t *testing.T) {
	views := notes(9, 3)
	c := mustTrain(t, small(Default), views)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := c.Rise(ctx, views); !errors.Is(err, context.Canceled) {
		t.Errorf("%g, %v", r, err)
	}
}

// TestADetectorThatSamplesIsNotAttuned: that spans were left out of training is no sign
// that notes like those have more of them.
func TestADetectorThatSamplesIsNotAttuned(t *testing.T) {
	views := notes(9, 3)
	d := small(Default)
	d.Options.CRF.Sampling = crf.Sampling{Cost: map[annotate.Label]float64{"": 4}, Seed: 1}
	c := mustTrain(t, d, views)
	many := slices.Repeat(views, 30)
	if r := rise(many, c.ScoreAll(many), c.encoder.Share()); r < 1.2 {
		t.Fatalf("the odds would rise by %g: the test shows too little", r)
	}
	if r, err := c.Rise(t.Context(), many); r != 1 || err != nil {
		t.Errorf("the odds rise by %g, %v", r, err)
	}
}

func density(v annotate.View) float64 {
	n := 0
	for _, s := range v.Sensitive {
		if s {
			n++
		}
	}
	return float64(n) / float64(len(v.Sensitive))
}
