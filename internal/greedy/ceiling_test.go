// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"hide/internal/annotate"
)

func TestRatiosAreRaisedInRoundSteps(t *testing.T) {
	at, want := 0.4, []float64{0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30}
	for _, next := range want {
		if at = nextRatio(at); at != next {
			t.Fatalf("raised to %g, want %g", at, next)
		}
	}
	for at := math.SmallestNonzeroFloat64; at < MaxLC; {
		next := nextRatio(at)
		if !(next > at) || at > 1e-300 && next > 2*at {
			t.Fatalf("after %g comes %g", at, next)
		}
		at = next
	}
}

// The runs at the round ratios above L/C 2 are made one by one: the ceiling takes the
// first at which the ranked attacker finds no more than it allows.
func TestTheCeilingTakesTheFirstRatioThatHoldsIt(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(6, 12)), 40)
	raised, kept := 0, 0
	for _, allowed := range []float64{0.01, 0.03, 0.1, 0.3, 0.9} {
		p := params(Default, 2)
		p.Budgets, p.Ceiling = []int{5, 60}, allowed
		got, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := got.Choices[0]
		want := 2.0
		for ; ; want = nextRatio(want) {
			q := params(Default, want)
			q.Budgets = p.Budgets
			alone, err := Sanitize(t.Context(), docs, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			if o := alone.Choices[0].Outcome; o.Attack.Ranked[60].Value <= allowed*float64(o.Sensitive) {
				if !reflect.DeepEqual(alone.Choices[0].Rounds, atLoss(c.Rounds, alone.Choices[0].Rounds)) || alone.Choices[0].Outcome.Residual != c.Outcome.Residual {
					t.Errorf("ceiling %g: other rounds than those of L/C %g", allowed, want)
				}
				break
			}
		}
		if c.At != want || c.LC != 2 || c.Outcome.LC != 2 {
			t.Errorf("ceiling %g: redacts as for L/C %g, want %g", allowed, c.At, want)
		}
		if o := c.Outcome; o.Attack.Ranked[60].Value > allowed*float64(o.Sensitive) || o.Loss.Value != 2*o.Residual.Value+o.FalsePositives.Value {
			t.Errorf("ceiling %g: %g of %d found, T(H) %g", allowed, o.Attack.Ranked[60].Value, o.Sensitive, o.Loss.Value)
		}
		for _, a := range c.Certificate {
			if a.Pays {
				t.Errorf("ceiling %g: %+v pays", allowed, a)
			}
		}
		if want > 2 {
			raised++
		} else {
			kept++
		}
	}
	if raised < 2 || kept < 1 {
		t.Errorf("raised %d times, not %d times: it tests nothing", raised, kept)
	}
}

// What is being done names the L/C that is solved for, and progress never falls when
// rounds begin again.
func TestProgressSaysToWhichRatioItIsRaised(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(6, 12)), 40)
	p := params(Default, 2, 4)
	p.Budgets, p.Ceiling = []int{60}, 0.01
	raised, share := "", 0.0
	got, err := Sanitize(t.Context(), docs, p, func(e Event) {
		if e.Share < share {
			t.Errorf("progress falls from %g to %g", share, e.Share)
		}
		share = e.Share
		if e.Round != nil && e.LC == 2 {
			raised = e.Doing
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	c := got.Choices[0]
	if want := fmt.Sprintf("L/C 2 raised to %g, round %d finished", c.At, len(c.Rounds)); raised != want {
		t.Errorf("%q, want %q", raised, want)
	}
}

// atLoss are the rounds with the losses and L/C of others, which were counted for the
// L/C that they were solved for.
func atLoss(rounds, others []Round) []Round {
	out := append([]Round(nil), rounds...)
	for i := range min(len(out), len(others)) {
		out[i].Outcome.LC, out[i].Outcome.Loss = others[i].Outcome.LC, others[i].Outcome.Loss
	}
	return out
}

func TestOnlyDefaultModeHasACeiling(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(6, 13)), 24)
	for _, mode := range Modes() {
		p := params(mode, 1)
		without, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Ceiling = 0.001
		with, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if same := reflect.DeepEqual(outcomes(with), outcomes(without)); same != (mode != Default) {
			t.Errorf("%s: the ceiling changes nothing is %t", mode, same)
		}
		if at := without.Choices[0].At; at != 1 {
			t.Errorf("%s: without one it redacts as for %g", mode, at)
		}
	}
}

// What is published is a quarter of what is trained on: a budget reads four times the
// share of it.
func TestTheCeilingReadsTheSameShareOfWhatIsPublished(t *testing.T) {
	p := Params{Budgets: []int{10, 100}, Ceiling: 0.02}
	for _, c := range []struct{ learnt, published, budget int }{{1000, 1000, 100}, {4000, 1000, 400}, {750, 1000, 75}, {1, 1000, 1}, {5, 0, 500}} {
		if got := p.ceiling(Default, c.learnt, c.published); got != (ceiling{0.02, c.budget}) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	docs := random(rand.New(rand.NewPCG(6, 14)), 80)
	some, differ := map[float64]bool{}, 0
	for _, cut := range []int{16, 40, 64} {
		trial := Trial{Params: params("", 1), Modes: []Mode{Default}, Test: docs[cut:]}
		trial.Budgets, trial.Ceiling = []int{40}, 0.05
		got, err := Experiment(t.Context(), docs[:cut], trial, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := func(budget int) float64 {
			q := params(Default, 1)
			q.Ceiling, q.Budgets = 0.05, []int{budget}
			r, err := Sanitize(t.Context(), docs[:cut], q, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r.Choices[0].At
		}
		scaled := trial.ceiling(Default, countTokens(docs[:cut]), countTokens(docs[cut:])).budget
		if want := at(scaled); got[0].At[0] != want {
			t.Errorf("learnt from %d documents it redacts as for %g, with a budget of %d as for %g", cut, got[0].At[0], scaled, want)
		}
		if some[got[0].At[0]] = true; at(40) != got[0].At[0] {
			differ++
		}
	}
	if len(some) < 2 || differ == 0 {
		t.Errorf("raised to %v, %d times to another than by the budget as it is: it tests nothing", some, differ)
	}
}

// A label that costs nothing stays at any L/C, and is found.
func TestACeilingOverWhatCostsNothingIsRefused(t *testing.T) {
	p := params(Default, 1)
	p.Ceiling, p.LossByLabel = 0.01, map[annotate.Label]float64{"DATE": 0, "NAME": 2}
	if _, err := Sanitize(t.Context(), random(rand.New(rand.NewPCG(6, 15)), 12), p, nil); err == nil || !strings.Contains(err.Error(), `"DATE" costs nothing`) {
		t.Errorf("error %v", err)
	}
	p.LossByLabel["DATE"] = 0.1
	if _, err := Sanitize(t.Context(), random(rand.New(rand.NewPCG(6, 15)), 12), p, nil); err != nil {
		t.Error(err)
	}
}

// Values of L/C that are asked for together come to what each comes to by itself, with
// fewer trainings, and other modes of the same experiment to what they come to without.
func TestOneClimbServesAllRatios(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(6, 12)), 40)
	run := func(trained *atomic.Int32, lcs ...float64) []Choice {
		p := params(Default, lcs...)
		p.Budgets, p.Ceiling = []int{60}, 0.01
		p.Learners = []Learner{counting{Learner: frequency{}, trained: trained}}
		r, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		return outcomes(r)
	}
	together, alone := &atomic.Int32{}, &atomic.Int32{}
	lcs := []float64{0.5, 1, 2, 4}
	all := run(together, lcs...)
	for i, lc := range lcs {
		if one := run(alone, lc)[0]; !reflect.DeepEqual(one, all[i]) {
			t.Errorf("L/C %g by itself redacts as for %g, among others as for %g, or otherwise", lc, one.At, all[i].At)
		}
	}
	if !(all[0].At > 1) || together.Load() >= alone.Load() {
		t.Errorf("raised to %g; %d trainings together, %d one by one", all[0].At, together.Load(), alone.Load())
	}
	trial := Trial{Params: params("", 2), Modes: []Mode{Default, Cost, GreedyUnion}}
	trial.Budgets = []int{60}
	without, err := Experiment(t.Context(), docs, trial, nil)
	if err != nil {
		t.Fatal(err)
	}
	trial.Ceiling = 0.01
	with, err := Experiment(t.Context(), docs, trial, nil)
	if err != nil || reflect.DeepEqual(with[0].Outcome, without[0].Outcome) || !reflect.DeepEqual(with[1:], without[1:]) {
		t.Errorf("error %v, or the ceiling changes another mode, or not default", err)
	}
}

func TestCeilingsAreSharesOrRefused(t *testing.T) {
	for share, ok := range map[float64]bool{0: true, 0.01: true, 0.999: true, 1: false, -0.1: false, 2: false, math.NaN(): false, math.Inf(1): false} {
		p := params(Default, 1)
		p.Ceiling = share
		if err := p.withDefaults().check(); (err == nil) != ok {
			t.Errorf("ceiling %g: %v", share, err)
		}
	}
}
