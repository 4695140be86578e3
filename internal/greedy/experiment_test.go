// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"hide/internal/annotate"
)

// witness is a learner whose classifiers count how often they are asked about a
// document of a group they were trained on.
type witness struct{ breaches *atomic.Int32 }

func (witness) Name() string { return "witness" }

func (w witness) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	h, err := frequency{}.Train(ctx, all)
	if err != nil {
		return nil, err
	}
	return sworn{h.(rates), w.breaches}, nil
}

type sworn struct {
	rates
	breaches *atomic.Int32
}

func (s sworn) Scores(v annotate.View) []float64 {
	if s.trainedOn[v.Group] {
		s.breaches.Add(1)
	}
	return s.rates.Scores(v)
}

func (s sworn) Hard(v annotate.View) []bool {
	if s.trainedOn[v.Group] {
		s.breaches.Add(1)
	}
	return s.rates.Hard(v)
}

// patients is documents of which every three share a patient.
func patients(seed uint64, n int) []annotate.Note {
	docs := random(rand.New(rand.NewPCG(seed, 1)), n)
	for i := range docs {
		docs[i].Group = fmt.Sprintf("p%d", i/3)
	}
	return docs
}

func TestNoCountComesFromAClassifierThatSawThePatient(t *testing.T) {
	docs, breaches := patients(30, 45), &atomic.Int32{}
	trial := Trial{Params: params(Default, 1, 10), Modes: []Mode{PaperHoldout, GreedyUnion, Default, Cost}}
	trial.Learners = []Learner{witness{breaches}}
	if _, err := Experiment(t.Context(), docs, trial, nil); err != nil {
		t.Fatal(err)
	}
	for _, mode := range trial.Modes {
		p := trial.Params
		p.Mode = mode
		if _, err := Sanitize(t.Context(), docs, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := breaches.Load(); n != 0 {
		t.Errorf("%d documents were scored by classifiers that saw the patient", n)
	}
	trial.Modes = []Mode{Paper}
	if _, err := Experiment(t.Context(), docs, trial, nil); err != nil {
		t.Fatal(err)
	}
	if breaches.Load() == 0 {
		t.Error("the papers' mode counts on training data, yet the witness saw nothing: it cannot see")
	}
}

func TestExperimentPublishesEveryDocumentOnce(t *testing.T) {
	docs := patients(31, 40)
	p := params(Default, 2).withDefaults()
	h := newHeldOut(docs, p, newPool(1), func(string, int, int) {})
	times := make([]int, len(docs))
	for _, part := range h.parts {
		trained := map[string]bool{}
		for _, d := range part.lab.docs {
			trained[d.Group] = true
		}
		for _, i := range part.test {
			times[i]++
			if trained[docs[i].Group] {
				t.Errorf("document %d is published by classifiers that saw its patient", i)
			}
		}
	}
	for i, n := range times {
		if n != 1 {
			t.Errorf("document %d is published %d times", i, n)
		}
	}
}

func TestExperimentIsSameForAnyNumberOfWorkers(t *testing.T) {
	docs := patients(32, 40)
	var first []Measured
	for _, workers := range []int{1, 4} {
		trial := Trial{Params: params("", 1, 10)}
		trial.Workers = workers
		got, err := Experiment(t.Context(), docs, trial, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !reflect.DeepEqual(got, first) {
			t.Errorf("%d workers give another result than 1", workers)
		}
	}
	if len(first) != 6 || first[0].Mode != Paper || first[3].Mode != Default || first[5].Outcome.LC != 10 {
		t.Errorf("%d results in another order than mode, L/C", len(first))
	}
}

// The story of tkde's algorithm with a learner that fits its training data: the
// papers' stop sees nothing, the ranked attacker does, and cross-fitting leaves
// fewer.
func TestExperimentShowsWhatTrainingCountsHide(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(33, 1)), 120)
	results, err := Experiment(t.Context(), docs, Trial{Params: params("", 10)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	paper, robust := results[0].Outcome, results[1].Outcome
	if f := paper.Attack.Classifier.Value; f > paper.Attack.Ranked[1000].Value/4 {
		t.Errorf("the papers' attacker finds %g, the ranked %g", f, paper.Attack.Ranked[1000].Value)
	}
	if robust.Residual.Value > paper.Residual.Value/2 {
		t.Errorf("default leaves %g, paper %g", robust.Residual.Value, paper.Residual.Value)
	}
}

func TestExperimentPublishesATestFileOfItsOwnInOneFold(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 1))
	docs, test := random(r, 30), random(r, 20)
	for i := range test {
		test[i].Group = "t" + test[i].Group
	}
	trial := Trial{Params: params("", 3), Test: test, Modes: []Mode{Default}}
	results, err := Experiment(t.Context(), docs, trial, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o := results[0].Outcome; o.Documents != 20 || len(results[0].Rounds) != 1 {
		t.Errorf("%d documents published in %d folds, want 20 in 1", o.Documents, len(results[0].Rounds))
	}
	trial.Test = docs[:3]
	if _, err := Experiment(t.Context(), docs, trial, nil); err == nil || !strings.Contains(err.Error(), "training document") {
		t.Errorf("publishing what was learnt from: error %v", err)
	}
}

func TestExperimentRefusesTooFewDocuments(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(35, 1)), 3)
	for n, ok := range []bool{false, false, false, true} {
		_, err := Experiment(t.Context(), docs[:n], Trial{Params: params("", 1)}, nil)
		if (err == nil) != ok {
			t.Errorf("%d documents: error %v", n, err)
		}
	}
}

func TestExperimentSaysHowFarItIs(t *testing.T) {
	docs, last, said := patients(36, 30), -1, 0
	_, err := Experiment(t.Context(), docs, Trial{Params: params("", 1, 10)}, func(done, total int, doing string) {
		if done < last || done >= total || total != 6 || doing == "" {
			t.Errorf("%d of %d after %d: %q", done, total, last, doing)
		}
		last, said = done, said+1
	})
	if err != nil || last != 5 || said < 40 {
		t.Errorf("error %v; told %d times, of %d results", err, said, last)
	}
}

func TestExperimentGoesOnWhereAnEarlierOneEnded(t *testing.T) {
	docs := patients(37, 40)
	whole, err := Experiment(t.Context(), docs, Trial{Params: params("", 1, 10)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	var first []Measured
	cut := Trial{Params: params("", 1, 10), Done: func(m Measured) error {
		if first = append(first, m); len(first) == 4 {
			return enough
		}
		return nil
	}}
	if _, err := Experiment(t.Context(), docs, cut, nil); !errors.Is(err, enough) {
		t.Fatalf("error %v", err)
	}
	rest, last := Trial{Params: params("", 1, 10)}, 0
	rest.Known = func(mode Mode, learner string, lc float64) bool {
		return slices.ContainsFunc(first, func(m Measured) bool {
			return m.Mode == mode && m.Learner == learner && m.Outcome.LC == lc
		})
	}
	others, err := Experiment(t.Context(), docs, rest, func(done, total int, _ string) { last = done })
	if err != nil || last != 5 {
		t.Fatalf("error %v, told of %d results", err, last)
	}
	if !reflect.DeepEqual(slices.Concat(first, others), whole) {
		t.Error("two halves differ from the whole")
	}
	rest.Known = func(Mode, string, float64) bool { return true }
	if none, err := Experiment(t.Context(), docs, rest, nil); err != nil || none != nil {
		t.Errorf("all known: %d results, error %v", len(none), err)
	}
}

func TestExperimentsBoundsLieAboveWhatTheyBound(t *testing.T) {
	results, err := Experiment(t.Context(), patients(38, 40), Trial{Params: params("", 10)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range results {
		for i, e := range m.Outcome.counts() {
			if e.AtMost < e.Value || e.AtMost == 0 {
				t.Errorf("%s, figure %d: %g, at most %g", m.Mode, i, e.Value, e.AtMost)
			}
		}
		left, attacker := 0, m.Attacker
		for _, v := range m.Views {
			for x := range v.Words {
				if v.Remaining(x) {
					left++
				}
			}
		}
		if o := m.Outcome; left != int(o.Residual.Value) || attacker.TP != int(o.Attack.Classifier.Value) || attacker.TP+attacker.FN != left {
			t.Errorf("%s: %d left in the views, %g counted; attacker %+v", m.Mode, left, o.Residual.Value, attacker)
		}
	}
}

// Theorems 5 and 6 are about Algorithm 1, whether it runs once or for each fold.
func TestExperimentBoundsRunsOfThePapersAlgorithm(t *testing.T) {
	all := random(rand.New(rand.NewPCG(34, 1)), 60)
	for _, c := range []struct {
		test []annotate.Note
		mode Mode
		want int
	}{{nil, Paper, 4}, {all[40:], Paper, 4}, {all[40:], Default, 2}} {
		trial := Trial{Params: params("", 10), Modes: []Mode{c.mode}, Test: c.test}
		trial.VC = 3
		got, err := Experiment(t.Context(), all[:40], trial, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(got[0].Bounds) != c.want {
			t.Errorf("%s, %d to test on: %+v", c.mode, len(c.test), got[0].Bounds)
		}
		for _, b := range got[0].Bounds {
			if finds := b.Theorem == "theorem 3" || b.Theorem == "theorem 5"; finds && (b.Observed != float64(got[0].Attacker.TP) || b.Trivial != float64(got[0].Attacker.TP+got[0].Attacker.FN)) {
				t.Errorf("%+v of %+v", b, got[0].Attacker)
			}
		}
	}
}
