// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"hide/internal/annotate"
)

func TestFoldsKeepGroupsTogetherAndBalanced(t *testing.T) {
	var docs []annotate.Note
	for i := range 60 {
		docs = append(docs, annotate.Note{Group: fmt.Sprint(i % 13)})
	}
	fold, n := assign(docs, 4, 7, streamFolds)
	if n != 4 {
		t.Fatalf("%d folds, want 4", n)
	}
	of, size := map[string]int{}, make([]int, n)
	for i, d := range docs {
		if f, seen := of[d.Group]; seen && f != fold[i] {
			t.Fatalf("group %s is in folds %d and %d", d.Group, f, fold[i])
		} else if !seen {
			of[d.Group] = fold[i]
			size[fold[i]]++
		}
	}
	if slices.Max(size)-slices.Min(size) > 1 {
		t.Errorf("groups per fold %v", size)
	}
	other, _ := assign(docs, 4, 8, streamFolds)
	if slices.Equal(fold, other) {
		t.Error("another seed gives the same folds")
	}
	if _, n := assign(docs[:3], 4, 7, streamFolds); n != 3 {
		t.Errorf("3 groups give %d folds, want 3", n)
	}
}

func TestBestCutMatchesEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	paying, other := 0, 0
	for range 3000 {
		order := randomOrder(r, 1)
		lc := float64(1+r.IntN(20)) / 2
		got := bestCut(order, lc)
		if want := pricedAt(order, got.threshold); got.counts != want {
			t.Fatalf("%+v at %g, recounted %+v", got.counts, got.threshold, want)
		}
		for _, threshold := range scoresOf(order) {
			c := pricedAt(order, threshold)
			if gain := lc*c.Worth - c.Cost; gain > got.gain || gain == got.gain && threshold > got.threshold {
				t.Fatalf("gain %g at %g; there is %g at %g", got.gain, got.threshold, gain, threshold)
			}
			if c != cutAt(order, threshold).counts {
				t.Fatalf("cutAt(%g) = %+v, recounted %+v", threshold, cutAt(order, threshold).counts, c)
			}
		}
		if got.counts.Pays(lc) != (got.gain > 0) {
			t.Fatalf("%+v pays: %v, with gain %g", got.counts, got.counts.Pays(lc), got.gain)
		}
		if got.gain > 0 {
			paying++
		} else {
			other++
		}
	}
	if paying < 100 || other < 100 {
		t.Fatalf("%d cuts pay, %d do not: the cases test too little", paying, other)
	}
}

// pricedAt counts what a threshold marks, token by token.
func pricedAt(order []ranked, threshold float64) Priced {
	var c Priced
	for _, x := range order {
		switch hit := x.score >= threshold; {
		case hit && x.sensitive:
			c.TP++
			c.Worth += x.weight
		case hit:
			c.FP++
			c.Cost += x.weight
		case x.sensitive:
			c.FN++
		default:
			c.TN++
		}
	}
	return c
}

// randomOrder is a ranking with ties, over the given number of groups.
func randomOrder(r *rand.Rand, groups int) []ranked {
	order := make([]ranked, r.IntN(30))
	for i := range order {
		order[i] = ranked{score: float64(r.IntN(8)) / 8, group: int32(r.IntN(groups))}
		if r.IntN(3) == 0 {
			order[i].sensitive, order[i].weight = true, float64(r.IntN(5))/2
		} else {
			order[i].weight = []float64{0.25, 1, 1, 4}[i%4]
		}
	}
	slices.SortStableFunc(order, func(a, b ranked) int { return int(8*b.score) - int(8*a.score) })
	return order
}

func scoresOf(order []ranked) []float64 {
	var out []float64
	for _, r := range order {
		out = append(out, r.score)
	}
	return out
}

func TestFoundMatchesRepeatedTokens(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	for range 2000 {
		order, drawn := randomOrder(r, 3), times{uint8(r.IntN(4)), uint8(r.IntN(4)), 1}
		var repeated []bool
		for _, x := range order {
			for range drawn[x.group] {
				repeated = append(repeated, x.sensitive)
			}
		}
		var budgets []int
		var want []float64
		for b := 1 + r.IntN(6); b < 42; b += 1 + r.IntN(12) {
			n := 0.0
			for _, s := range repeated[:min(b, len(repeated))] {
				if s {
					n++
				}
			}
			budgets, want = append(budgets, b), append(want, n)
		}
		if got := readingOf(order).found(budgets, drawn); !slices.Equal(got, want) {
			t.Fatalf("found %v with budgets %d, want %v", got, budgets, want)
		}
	}
}

func TestRankedAttackFindsMoreWithMoreBudget(t *testing.T) {
	budgets := make([]int, 34)
	for i := range budgets {
		budgets[i] = i + 1
	}
	r := rand.New(rand.NewPCG(11, 1))
	for range 500 {
		order, last := randomOrder(r, 2), 0.0
		for b, n := range readingOf(order).found(budgets, times{1, 1}) {
			if n < last || n > last+1 {
				t.Fatalf("found %g with budget %d after %g with one less", n, budgets[b], last)
			}
			last = n
		}
	}
}

func TestOutcomeCountsByDefinition(t *testing.T) {
	docs := []annotate.Note{text("a", "x *n1 *n2 y **n3 z"), text("b", "*n4 w"), text("b", "v v v v")}
	masks := [][]bool{{true, true, false, false, true, false}, {true, false}, {false, false, true, false}}
	group, n := groups(docs)
	out := newTally(docs, masks, group, n, tariff{}).outcome(10, 2, newResampler(n, 1, false), nil, nil)
	want := map[string][2]float64{
		"residual": {out.Residual.Value, 1}, "names left": {out.IdentifiersMissed.Value, 1}, "false positives": {out.FalsePositives.Value, 2},
		"documents with a leak": {out.DocumentsWithLeak.Value, 1}, "loss": {out.Loss.Value, 12},
		"kept": {out.NonsensitiveKept.Value, 6.0 / 8}, "published": {out.PublishedRatio.Value, 7.0 / 12},
		"tokens": {float64(out.Tokens), 12}, "sensitive": {float64(out.Sensitive), 4}, "names": {float64(out.Identifiers), 3}, "documents": {float64(out.Documents), 3},
	}
	for name, w := range want {
		if w[0] != w[1] {
			t.Errorf("%s: %g, want %g", name, w[0], w[1])
		}
	}
}

func TestIntervalsResampleGroups(t *testing.T) {
	perGroup := make([]float64, 100)
	for g := range perGroup {
		perGroup[g] = float64(g % 2) // variance 1/4 per group, so 5 for the sum of 100
	}
	e := newResampler(100, 1, false).count(perGroup, 1000)
	if e.Value != 50 || math.Abs(e.Low-40) > 2 || math.Abs(e.High-60) > 2 {
		t.Errorf("%+v, want 50 [40-60]", e)
	}
	wide := newResampler(100, 1, true).count(perGroup, 1000)
	if ratio := (wide.High - wide.Low) / (e.High - e.Low); math.Abs(ratio-math.Sqrt2) > 0.15 {
		t.Errorf("publishing noise widens the interval %.2f times, want 1.41", ratio)
	}
}

func TestIntervalOfNothingSeenIsNotNothing(t *testing.T) {
	s := newResampler(5, 1, false)
	if e := s.count(make([]float64, 5), 1000); e.Low != 0 || math.Abs(e.High-3.69) > 0.01 {
		t.Errorf("%+v, want up to 3.69", e)
	}
	if e := newResampler(5, 1, true).count([]float64{1, 1, 1, 0, 1}, 4); e.High != 4 {
		t.Errorf("4 of 4 things are expected in an interval up to %g", e.High)
	}
	if e := s.count(make([]float64, 5), 2); e.High != 2 {
		t.Errorf("%+v, want no more than there are", e)
	}
}

func TestLeaksAreRunsOfOneSpan(t *testing.T) {
	docs := []annotate.Note{text("a", "x *n1 *n2 **n3 y"), text("b", "z z z")}
	masks := [][]bool{{true, false, false, false, true}, {true, true, false}}
	scores := [][]float64{{0, .1, .3, .2, .5}, {.4, .6, .9}}
	if got, want := missedSpans(docs, masks, scores), []Leak{{0, 1, 3, .3}, {0, 3, 4, .2}}; !slices.Equal(got, want) {
		t.Errorf("leaks %v, want %v", got, want)
	}
	if got, want := overRedacted(docs, masks, scores), []Leak{{1, 0, 2, .6}, {0, 4, 5, .5}, {0, 0, 1, 0}}; !slices.Equal(got, want) {
		t.Errorf("lost %v, want %v", got, want)
	}
}

func TestPoolReturnsTheFirstRealError(t *testing.T) {
	boom, started := errors.New("boom"), atomic.Int32{}
	err := newPool(2).each(t.Context(), 50, func(ctx context.Context, i int) error {
		started.Add(1)
		if i == 1 {
			return boom
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, boom) || started.Load() > 4 {
		t.Errorf("error %v after %d pieces", err, started.Load())
	}
}

func TestEnsembleRedactsAsInTraining(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	used := 0
	for range 200 {
		docs, class, _ := tiny(r)
		trace, err := loop(docs, class).exhaust(t.Context(), 13)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range docs {
			if got, want := trace.h.Redact(d), trace.masks[len(trace.masks)-1][i]; !slices.Equal(got, want) {
				t.Fatalf("redacts %v, in training %v", got, want)
			}
		}
		used += len(trace.h)
	}
	if used < 100 {
		t.Fatalf("only %d classifiers used", used)
	}
}

func TestEnsembleShowsPlaceholdersToLaterClassifiers(t *testing.T) {
	hit := func(words ...string) Classifier {
		h := byWord{}
		for _, w := range words {
			h[w] = true
		}
		return h
	}
	e := Ensemble{{Classifier: hit("Ana"), Hard: true}, {Classifier: hit("Ana", annotate.Placeholder, "Bo"), Threshold: 0.5}}
	if got, want := e.Redact(text("g", "Ana met Bo")), []bool{true, false, true}; !slices.Equal(got, want) {
		t.Errorf("redacts %v, want %v", got, want)
	}
	if got := (Ensemble)(nil).Redact(text("g", "Ana")); !reflect.DeepEqual(got, []bool{false}) {
		t.Errorf("no classifier redacts %v", got)
	}
}
