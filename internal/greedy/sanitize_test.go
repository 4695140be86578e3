// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func params(mode Mode, lc ...float64) Params {
	return Params{Mode: mode, LC: lc, Learners: []Learner{frequency{}}, Seed: 3}
}

func TestSanitizeIsSameForAnyNumberOfWorkers(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(20, 1)), 40)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, mode := range Modes() {
		var first *Result
		for _, workers := range []int{1, 3, 8} {
			runtime.GOMAXPROCS(workers)
			p := params(mode, 1, 10)
			p.Workers = workers
			got, err := Sanitize(t.Context(), docs, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !reflect.DeepEqual(got, first) {
				t.Errorf("%s: %d workers give another result than 1", mode, workers)
			}
		}
	}
}

func TestSanitizeReportsRoundsAndOutcomesAsItGoes(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(21, 1)), 30)
	for _, mode := range Modes() {
		var share float64
		rounds, outcomes := map[float64][]Round{}, map[float64]Outcome{}
		result, err := Sanitize(t.Context(), docs, params(mode, 1, 10, 10), func(e Event) {
			if e.Share < share || e.Share > 1 || e.Doing == "" {
				t.Errorf("share %g after %g, doing %q", e.Share, share, e.Doing)
			}
			share = e.Share
			if e.Round != nil {
				rounds[e.LC] = append(rounds[e.LC], *e.Round)
			}
			if e.Choice != nil {
				outcomes[e.LC] = e.Choice.Outcome
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Choices) != 2 || share != 1 {
			t.Errorf("%s: %d choices for two different L/C, share %g at the end", mode, len(result.Choices), share)
		}
		for _, c := range result.Choices {
			if !reflect.DeepEqual(rounds[c.LC], c.Rounds) || !reflect.DeepEqual(outcomes[c.LC], c.Outcome) {
				t.Errorf("%s, L/C %g: events and result differ", mode, c.LC)
			}
		}
	}
}

// The first figures come before any round of any L/C, and what attackers have no
// part in is what the first round will say.
func TestWhatTheFirstRoundsLeaveIsToldAtOnce(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(24, 1)), 40)
	p := params(Default, 0.5, 2, 10)
	p.Learners = append(p.Learners, named{frequency{weight: 3}, "other"})
	first, later := map[float64]Outcome{}, false
	result, err := Sanitize(t.Context(), docs, p, func(e Event) {
		if e.First != nil {
			first[e.LC] = *e.First
		}
		if later = later || e.Round != nil; later && e.First != nil {
			t.Errorf("first figures of L/C %g come after a round", e.LC)
		}
	})
	if err != nil || len(first) != 3 {
		t.Fatalf("error %v, first figures of %d L/C", err, len(first))
	}
	for _, c := range result.Choices {
		want := c.Rounds[0].Outcome
		want.Attack = first[c.LC].Attack
		if !reflect.DeepEqual(first[c.LC], want) {
			t.Errorf("L/C %g: first figures are not those of round 1", c.LC)
		}
	}
}

func TestSanitizeMoreLossPerLeakLeavesFewerNames(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(22, 1)), 60)
	for _, mode := range []Mode{GreedyUnion, Default, Cost, CostWeight} {
		result, err := Sanitize(t.Context(), docs, params(mode, 0.5, 3, 30), nil)
		if err != nil {
			t.Fatal(err)
		}
		c := result.Choices
		for i := 1; i < len(c); i++ {
			if a, b := c[i-1].Outcome, c[i].Outcome; a.Residual.Value <= b.Residual.Value || a.NonsensitiveKept.Value <= b.NonsensitiveKept.Value {
				t.Errorf("%s: L/C %g leaves %g and keeps %g, L/C %g %g and %g", mode, a.LC, a.Residual.Value, a.NonsensitiveKept.Value, b.LC, b.Residual.Value, b.NonsensitiveKept.Value)
			}
		}
	}
}

func TestOutcomesAreConsistent(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(23, 1)), 40)
	for _, mode := range Modes() {
		result, err := Sanitize(t.Context(), docs, params(mode, 2, 20), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range result.Choices {
			checkOutcome(t, c)
			checkRounds(t, mode, c)
			if held := c.Outcome.HeldOut; (held != nil) != (mode == Paper) {
				t.Errorf("%s: held-out outcome %v", mode, held)
			} else if held != nil {
				checkOutcome(t, Choice{LC: c.LC, Outcome: *held, Leaks: c.Leaks})
			}
		}
	}
}

func checkOutcome(t *testing.T, c Choice) {
	t.Helper()
	o := c.Outcome
	if o.Loss.Value != Loss(c.LC, 1, o.Residual.Value, o.FalsePositives.Value) {
		t.Errorf("T(H) = %g with FN %g, FP %g, L/C %g", o.Loss.Value, o.Residual.Value, o.FalsePositives.Value, c.LC)
	}
	n := float64(o.Tokens - o.Sensitive)
	if math.Abs(o.NonsensitiveKept.Value-(n-o.FalsePositives.Value)/n) > 1e-12 {
		t.Errorf("kept %g with FP %g of %g", o.NonsensitiveKept.Value, o.FalsePositives.Value, n)
	}
	figures := []Estimate{o.Residual, o.IdentifiersMissed, o.FalsePositives, o.NonsensitiveKept, o.PublishedRatio, o.Loss, o.DocumentsWithLeak, o.Attack.Classifier}
	for _, b := range []int{25, 50, 100, 200, 500, 1000} {
		e, there := o.Attack.Ranked[b]
		if !there || e.Value > math.Min(float64(b), float64(o.Sensitive)) {
			t.Errorf("ranked attacker finds %g with budget %d", e.Value, b)
		}
		figures = append(figures, e)
	}
	for _, e := range figures {
		if e.Low > e.Value || e.High < e.Value || math.IsNaN(e.Low+e.High) {
			t.Errorf("interval %+v", e)
		}
	}
}

// checkRounds: what was not measured for a round is not there.
func checkRounds(t *testing.T, mode Mode, c Choice) {
	t.Helper()
	for _, r := range c.Rounds {
		if none := r.Outcome.Attack.Ranked == nil; none != (mode == Paper || mode == GreedyUnion) {
			t.Errorf("%s: ranked attack on round %d: %v", mode, r.Number, r.Outcome.Attack.Ranked)
		}
	}
	if held := c.Outcome.HeldOut; held != nil && !maps.Equal(c.Outcome.Attack.Ranked, held.Attack.Ranked) {
		t.Errorf("%s: the outcome has another ranked attack than the documents held out", mode)
	}
}

func TestPaperModeCountsOnTrainingDataAndMissesWhatLeaks(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(24, 1)), 40)
	p := params(Paper, 10)
	p.Learners = []Learner{diary{}}
	result, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := result.Choices[0].Outcome
	if o.Residual.Value != 0 || o.Attack.Classifier.Value != 0 {
		t.Errorf("training counts say %g left and %g found, want none", o.Residual.Value, o.Attack.Classifier.Value)
	}
	if o.HeldOut == nil || o.HeldOut.Residual.Value == 0 || len(result.Choices[0].Leaks) == 0 {
		t.Error("held-out documents show no leak")
	}
}

func TestSanitizeStopsWhenCancelled(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(25, 1)), 40)
	for _, mode := range Modes() {
		ctx, cancel := context.WithCancel(t.Context())
		trained := 0
		p := params(mode, 1)
		p.Workers = 1
		p.Learners = []Learner{frequency{onTrain: func([]annotate.View) {
			if trained++; trained == 2 {
				cancel()
			}
		}}}
		if _, err := Sanitize(ctx, docs, p, nil); !errors.Is(err, context.Canceled) || trained > 2 {
			t.Errorf("%s: error %v after %d trainings", mode, err, trained)
		}
		cancel()
	}
}

func TestSanitizeSharesTheFirstRoundBetweenLC(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(26, 1)), 40)
	trainings := func(mode Mode, lc ...float64) (n int) {
		p := params(mode, lc...)
		p.Workers, p.Learners = 1, []Learner{frequency{onTrain: func(all []annotate.View) {
			for _, v := range all {
				for i := range v.Words {
					if v.Hidden(i) {
						return
					}
				}
			}
			n++
		}}}
		if _, err := Sanitize(t.Context(), docs, p, nil); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, mode := range []Mode{Paper, PaperHoldout, GreedyUnion, Default, Cost} {
		if one, three := trainings(mode, 5), trainings(mode, 2, 5, 9); one != three {
			t.Errorf("%s: %d trainings on untouched documents for one L/C, %d for three", mode, one, three)
		}
	}
}

func TestNeighbouringLCThatRedactTheSameTrainOnce(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(26, 1)), 40)
	trainings := func(mode Mode, lc ...float64) (n int, r *Result) {
		p := params(mode, lc...)
		p.Workers, p.Learners = 1, []Learner{frequency{onTrain: func([]annotate.View) { n++ }}}
		r, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		return n, r
	}
	for _, mode := range []Mode{Paper, PaperHoldout, GreedyUnion, Default, Cost} {
		for _, lc := range []float64{1.5, 3, 5, 20} {
			one, alone := trainings(mode, lc)
			two, both := trainings(mode, lc, lc+.001)
			if one != two || both.Choices[1].Outcome.Residual != alone.Choices[0].Outcome.Residual {
				t.Errorf("%s, L/C %g: %d trainings for one L/C, %d for two that redact the same", mode, lc, one, two)
			}
		}
	}
}

func TestSanitizeRefusesBadInput(t *testing.T) {
	good := random(rand.New(rand.NewPCG(27, 1)), 10)
	torn := text("g", "*a b")
	torn.SpanOf = torn.SpanOf[:1]
	tests := []struct {
		name   string
		docs   []annotate.Note
		change func(*Params)
		want   string
	}{
		{"no documents", nil, nil, "no token is sensitive"},
		{"no sensitive token", []annotate.Note{text("a", "x y"), text("b", "z")}, nil, "no token is sensitive"},
		{"only sensitive tokens", []annotate.Note{text("a", "*x *y"), text("b", "*z")}, nil, "every token is sensitive"},
		{"one document", []annotate.Note{text("a", "*x y")}, nil, "too few documents"},
		{"one patient", []annotate.Note{text("a", "*x y"), text("a", "z *w")}, nil, "too few documents"},
		{"torn document", []annotate.Note{torn}, nil, "document 0"},
		{"no L/C", good, func(p *Params) { p.LC = nil }, "no value of L/C"},
		{"L/C zero", good, func(p *Params) { p.LC = []float64{0} }, "above 0"},
		{"L/C negative", good, func(p *Params) { p.LC = []float64{1, -2} }, "above 0"},
		{"L/C NaN", good, func(p *Params) { p.LC = []float64{math.NaN()} }, "L/C is NaN"},
		{"L/C infinite", good, func(p *Params) { p.LC = []float64{math.Inf(1)} }, "at most 1e+09"},
		{"L/C enormous", good, func(p *Params) { p.LC = []float64{1e308} }, "at most 1e+09"},
		{"unknown mode", good, func(p *Params) { p.Mode = "best" }, "unknown mode"},
		{"one fold", good, func(p *Params) { p.Folds = 1 }, "1 folds"},
		{"negative workers", good, func(p *Params) { p.Workers = -1 }, "-1 workers"},
		{"budget zero", good, func(p *Params) { p.Budgets = []int{0} }, "budget 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := params(Default, 1)
			if test.change != nil {
				test.change(&p)
			}
			if _, err := Sanitize(t.Context(), test.docs, p, nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestSanitizeTakesWhatIsOddButUsable(t *testing.T) {
	good := random(rand.New(rand.NewPCG(28, 1)), 6)
	tests := []struct {
		name string
		docs []annotate.Note
		mode Mode
		lc   float64
	}{
		{"paper mode with one document", good[:1], Paper, 1},
		{"two documents for four folds", good[:2], Default, 1},
		{"empty documents among others", append([]annotate.Note{{Group: "e"}, {Group: "f"}, {Group: "g0"}}, good...), Default, 1},
		{"sensitive tokens in one document only", []annotate.Note{text("a", "*x y"), text("b", "z"), text("c", "w w")}, Default, 5},
		{"a document of sensitive tokens only", []annotate.Note{text("a", "*x *y"), text("b", "z *x"), text("c", "*x")}, Default, 5},
		{"smallest L/C", good, Default, math.SmallestNonzeroFloat64},
		{"largest L/C", good, Default, MaxLC},
		{"largest L/C, cost", good, Cost, MaxLC},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result, err := Sanitize(t.Context(), test.docs, params(test.mode, test.lc), nil)
			if err != nil {
				t.Fatal(err)
			}
			o := result.Choices[0].Outcome
			if math.IsNaN(o.Loss.Value) || math.IsInf(o.Loss.High, 0) || o.Residual.Value > float64(o.Sensitive) {
				t.Errorf("outcome %+v", o)
			}
		})
	}
}
