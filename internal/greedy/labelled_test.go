// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"hide/internal/annotate"
)

func TestTheRankedAttackerLabelsTheShareThatIsAskedFor(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(8, 8)), 20)
	for share, labelled := range map[float64]int{0: 10, 0.5: 10, 0.25: 5, 0.1: 2} {
		var mu sync.Mutex // guards groups
		groups := map[int]int{}
		learner := frequency{onTrain: func(all []annotate.View) {
			mu.Lock()
			defer mu.Unlock()
			groups[len(all)]++
		}}
		p := Params{LC: []float64{5}, Share: share, Folds: 4, Learners: []Learner{learner}}.withDefaults()
		l := newLab(docs, p, newPool(2))
		order, err := l.rankedAttack(t.Context(), nothing(docs), p)
		if err != nil {
			t.Fatal(err)
		}
		if parts := len(docs) / labelled; len(groups) != 1 || groups[labelled] != parts {
			t.Errorf("share %g: trainings by documents %v, want %d on %d", share, groups, parts, labelled)
		}
		tokens := 0
		for _, d := range docs {
			tokens += len(d.Words)
		}
		if len(order) != tokens {
			t.Errorf("share %g: %d of %d tokens are attacked", share, len(order), tokens)
		}
	}
}

func TestTheRankedAttackerDoesNotAttackWhatSheLabelled(t *testing.T) {
	docs := patients(4, 60)
	for _, share := range []float64{0.5, 0.25, 0.1} {
		breaches := &atomic.Int32{}
		p := Params{LC: []float64{5}, Share: share, Folds: 4, Learners: []Learner{witness{breaches}}}.withDefaults()
		if _, err := newLab(docs, p, newPool(2)).rankedAttack(t.Context(), nothing(docs), p); err != nil {
			t.Fatal(err)
		}
		if n := breaches.Load(); n > 0 {
			t.Errorf("share %g: she is asked %d times about patients she learnt from", share, n)
		}
	}
}

// A checkpoint knows a rotation from a cross-fit over the same parts.
func TestARotationAndACrossFitAreKeptApart(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(2, 8)), 9)
	p := Params{LC: []float64{5}, Learners: []Learner{frequency{}}, Checkpoint: newShelf()}.withDefaults()
	l := newLab(docs, p, newPool(1))
	part := make([]int, len(docs))
	for i := range part {
		part[i] = i % 3
	}
	cross, err := l.crossFit(t.Context(), l.trainee(0), nothing(docs), part, 3)
	if err != nil {
		t.Fatal(err)
	}
	rotated, err := l.rotate(t.Context(), l.trainee(0), nothing(docs), part, 3)
	if err != nil {
		t.Fatal(err)
	}
	if slices.EqualFunc(cross.scores, rotated.scores, slices.Equal[[]float64]) {
		t.Error("who learnt from a third says what who learnt from two thirds says")
	}
}

func TestOthersSeeExactlyWhatEachChoiceWouldPublish(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(5, 5)), 16)
	for _, mode := range []Mode{Default, Paper, GreedyUnion, Cost} {
		p := params(mode, 1, 20)
		left := map[float64]int{}
		p.Published = func(_ context.Context, lc float64, views []annotate.View) error {
			if _, again := left[lc]; again {
				t.Errorf("%s: L/C %g is shown twice", mode, lc)
			}
			left[lc] = 0
			for _, v := range views {
				for x := range v.Words {
					if v.Remaining(x) {
						left[lc]++
					}
				}
			}
			return nil
		}
		r, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Choices {
			o := c.Outcome
			if o.HeldOut != nil {
				o = *o.HeldOut
			}
			if n, shown := left[c.LC]; !shown || float64(n) != o.Residual.Value {
				t.Errorf("%s, L/C %g: %d left are shown (%v), %g are counted", mode, c.LC, n, shown, o.Residual.Value)
			}
		}
		stop := errors.New("stop")
		p.Published = func(context.Context, float64, []annotate.View) error { return stop }
		if _, err := Sanitize(t.Context(), docs, p, nil); !errors.Is(err, stop) {
			t.Errorf("%s: %v, want the error of who looks", mode, err)
		}
	}
}

func TestShareOfLabelsIsRefusedOutsideTenToFiftyPercent(t *testing.T) {
	for share, ok := range map[float64]bool{0: true, 0.1: true, 0.3: true, 0.5: true, 0.09: false, 0.51: false, -0.2: false, math.NaN(): false, math.Inf(1): false} {
		p := params(Cost, 1)
		p.Share = share
		if err := p.withDefaults().check(); (err == nil) != ok {
			t.Errorf("share %g: %v", share, err)
		}
	}
}

func TestAnExperimentLeavesOutWhatALearnerCannotDo(t *testing.T) {
	trial := Trial{Params: params(Cost, 1, 5), Modes: []Mode{CostWeight, Cost}}
	trial.Learners = []Learner{diary{}, frequency{}}
	all, err := Experiment(t.Context(), patients(3, 12), trial, func(done, total int, _ string) {
		if total != 6 || done > total {
			t.Errorf("%d of %d results", done, total)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, m.Learner+" "+string(m.Mode))
	}
	want := []string{"diary cost", "diary cost", "frequency cost-weight", "frequency cost-weight", "frequency cost", "frequency cost"}
	if !slices.Equal(got, want) {
		t.Errorf("measured %v, want %v", got, want)
	}
}
