// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"hide/internal/annotate"
)

// odd are documents that are hard to train on, and whether they are refused in
// every mode, with which error.
func odd() map[string]struct {
	docs []annotate.Note
	err  error // nil: not refused, except that some modes need several documents
} {
	r := rand.New(rand.NewPCG(80, 1))
	rare := categorised(r, random(r, 9))
	for i := range rare {
		for x, s := range rare[i].Sensitive {
			if s {
				rare[i].Labels[x] = "NAME"
			}
		}
	}
	rare[4].Labels[firstSensitive(rare[4])] = "FAX"
	return map[string]struct {
		docs []annotate.Note
		err  error
	}{
		"no document":                     {nil, ErrNoSensitive},
		"empty documents only":            {[]annotate.Note{{Group: "a"}, {Group: "b"}, {Group: "c"}}, ErrNoSensitive},
		"nothing sensitive":               {[]annotate.Note{text("a", "x y"), text("b", "z"), text("c", "z")}, ErrNoSensitive},
		"only sensitive":                  {[]annotate.Note{text("a", "*x"), text("b", "*z *y"), text("c", "*z")}, ErrOnlySensitive},
		"one document":                    {random(r, 1), nil},
		"two documents for four folds":    {random(r, 2), nil},
		"three documents for four folds":  {random(r, 3), nil},
		"one patient":                     {[]annotate.Note{text("a", "*x y"), text("a", "z *w"), text("a", "z *w")}, nil},
		"empty documents among others":    {append([]annotate.Note{{Group: "e"}, {Group: "f"}, {Group: "e"}}, random(r, 6)...), nil},
		"all sensitive in one document":   {[]annotate.Note{text("a", "*x y *z"), text("b", "z"), text("c", "w w"), text("d", "y")}, nil},
		"a category in one document only": {rare, nil},
		"one token each":                  {[]annotate.Note{text("a", "*x"), text("b", "y"), text("c", "*x"), text("d", "y")}, nil},
	}
}

func firstSensitive(d annotate.Note) int {
	for x, s := range d.Sensitive {
		if s {
			return x
		}
	}
	return -1
}

func TestOddDocumentsGiveAResultOrAClearRefusal(t *testing.T) {
	for name, test := range odd() {
		for _, mode := range Modes() {
			for _, lc := range []float64{math.SmallestNonzeroFloat64, 3, MaxLC} {
				result, err := Sanitize(t.Context(), test.docs, params(mode, lc), nil)
				switch {
				case test.err != nil && errors.Is(err, test.err):
				case test.err == nil && errors.Is(err, ErrFewDocuments) && mode != Paper && countGroups(test.docs) < 2:
				case test.err == nil && err == nil:
					checkFinite(t, name, mode, result.Choices[0])
				default:
					t.Errorf("%s, %s, L/C %g: error %v", name, mode, lc, err)
				}
			}
		}
	}
}

func countGroups(docs []annotate.Note) int {
	_, n := groups(docs)
	return n
}

// checkFinite: every figure is a number, and in its interval.
func checkFinite(t *testing.T, name string, mode Mode, c Choice) {
	t.Helper()
	o := c.Outcome
	figures := []Estimate{o.Residual, o.IdentifiersMissed, o.FalsePositives, o.NonsensitiveKept, o.PublishedRatio, o.Loss, o.InformativeMissed, o.DocumentsWithLeak, o.PatientsWithLeak, o.Attack.Classifier}
	for _, by := range o.ByLabel {
		figures = append(figures, by.Missed, by.SpansMissed)
	}
	for i, e := range figures {
		if math.IsNaN(e.Low+e.High) || math.IsInf(e.Low+e.High, 0) || e.Low > e.Value || e.High < e.Value {
			t.Errorf("%s, %s: figure %d is %+v", name, mode, i, e)
		}
	}
	for _, r := range c.Rounds {
		if math.IsInf(r.Threshold, 0) || math.IsNaN(r.Threshold+r.Worth) {
			t.Errorf("%s, %s: round %+v", name, mode, r)
		}
	}
	for _, a := range c.Certificate {
		if math.IsNaN(a.Cost+a.Gain) || math.IsInf(a.Threshold, 0) || mode == Default && a.Pays {
			t.Errorf("%s, %s: certificate %+v", name, mode, a)
		}
	}
}

func TestACategoryThatIsAbsentInAFoldIsRedactedByOthers(t *testing.T) {
	docs := letters(12)
	docs[3].Labels[firstSensitive(docs[3])] = "VISITOR"
	p := Params{LC: []float64{10}, LossByLabel: map[annotate.Label]float64{"VISITOR": 4, "NOBODY": 2}}
	result, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := result.Choices[0].Outcome
	if len(o.ByLabel) != 2 || o.ByLabel[1].Label != "VISITOR" || o.ByLabel[1].Sensitive != 1 || o.ByLabel[1].Missed.Value != 0 {
		t.Errorf("%+v", o.ByLabel)
	}
}

func TestExperimentOnOddDocumentsGivesAResultOrAClearRefusal(t *testing.T) {
	for name, test := range odd() {
		_, err := Experiment(t.Context(), test.docs, Trial{Params: params("", 3), Modes: Modes()}, nil)
		few := countGroups(test.docs) < 3 && errors.Is(err, ErrFewDocuments)
		if !errors.Is(err, test.err) && !few {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestSanitizeRefusesLabelsThatDoNotFit(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(81, 1)), 6)
	docs[2].Labels = make([]annotate.Label, 1)
	if _, err := Sanitize(t.Context(), docs, params(Default, 1), nil); err == nil {
		t.Error("labels that differ in number are taken")
	}
	docs[2] = text("g", "*a b")
	docs[2].Labels = []annotate.Label{"NAME", "NAME"}
	if _, err := Sanitize(t.Context(), docs, params(Default, 1), nil); err == nil {
		t.Error("a label of a token that is not sensitive is taken")
	}
}

func TestNoBudgetsAreTheUsualOnes(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(82, 1)), 6)
	p := params(Default, 1)
	p.Budgets = []int{}
	result, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil || len(result.Choices[0].Outcome.Attack.Ranked) != 6 {
		t.Errorf("error %v", err)
	}
}

// all marks every token.
type all struct{ frequency }

func (all) Name() string { return "all" }

func (all) Train(context.Context, []annotate.View) (Classifier, error) { return always(true), nil }

// TestWhereNothingIsPublishedAnAttackerFindsNothing: it is an attack all the same,
// and not an unknown one.
func TestWhereNothingIsPublishedAnAttackerFindsNothing(t *testing.T) {
	p := Params{Mode: Cost, LC: []float64{1}, Learners: []Learner{all{}}, Budgets: []int{5, 50}, Seed: 1}
	result, err := Sanitize(t.Context(), random(rand.New(rand.NewPCG(4, 1)), 12), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := result.Choices[0].Outcome
	if o.PublishedRatio.Value != 0 || o.Residual.Value != 0 {
		t.Fatalf("published %+v, left %+v", o.PublishedRatio, o.Residual)
	}
	for _, b := range p.Budgets {
		if e, asked := o.Attack.Ranked[b]; !asked || e.Value != 0 || e.Low != 0 {
			t.Errorf("with %d words she finds %+v, asked %t", b, e, asked)
		}
	}
}

// TestWhereNoLeakCostsAnythingNothingIsRedacted: a weight of 0 is no learner's default.
func TestWhereNoLeakCostsAnythingNothingIsRedacted(t *testing.T) {
	p := params(CostWeight, 10)
	p.Learners, p.LossByLabel = []Learner{all{}}, map[annotate.Label]float64{"": 0}
	result, err := Sanitize(t.Context(), random(rand.New(rand.NewPCG(4, 1)), 12), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o := result.Choices[0].Outcome; o.PublishedRatio.Value != 1 || o.FalsePositives.Value != 0 {
		t.Errorf("published %+v, lost %+v", o.PublishedRatio, o.FalsePositives)
	}
}

func TestAShareIsTakenAsTheNearest(t *testing.T) {
	for share, want := range map[float64]int{0: 2, .5: 2, .45: 2, .42: 2, .41: 3, .4: 3, 1. / 3: 3, .3: 3, .25: 4, .2: 5, .15: 7, .1: 10} {
		if got := LabelledParts(share); got != want {
			t.Errorf("%g is taken as 1/%d, want 1/%d", share, got, want)
		}
	}
	for share := MinShare; share <= MaxShare; share += .0007 {
		got := math.Abs(1/float64(LabelledParts(share)) - share)
		for k := 2; k <= 10; k++ {
			if d := math.Abs(1/float64(k) - share); d < got-1e-8 {
				t.Fatalf("1/%d is nearer to %g than 1/%d", k, share, LabelledParts(share))
			}
		}
	}
}

func TestAnExperimentRefusesWhatItsFoldsCannotHold(t *testing.T) {
	for _, test := range []struct{ groups, folds, test int }{{2, 4, 0}, {3, 2, 0}, {1, 4, 2}} {
		trained := &atomic.Int32{}
		trial := Trial{Params: params("", 5), Modes: []Mode{Cost}}
		trial.Folds, trial.Learners = test.folds, []Learner{counting{Learner: frequency{}, trained: trained}}
		docs := random(rand.New(rand.NewPCG(5, 1)), test.groups+test.test)
		if test.test > 0 {
			docs, trial.Test = docs[test.test:], docs[:test.test]
		}
		_, err := Experiment(t.Context(), docs, trial, nil)
		if !errors.Is(err, ErrFewDocuments) || trained.Load() > 0 {
			t.Errorf("%d groups in %d folds: %v after %d trainings", test.groups, test.folds, err, trained.Load())
		}
	}
	for _, test := range []struct{ groups, folds int }{{3, 4}, {3, 3}, {4, 2}, {5, 2}, {7, 3}} {
		trial := Trial{Params: params("", 5), Modes: Modes()}
		trial.Folds = test.folds
		if _, err := Experiment(t.Context(), random(rand.New(rand.NewPCG(5, 2)), test.groups), trial, nil); err != nil {
			t.Errorf("%d groups in %d folds: %v", test.groups, test.folds, err)
		}
	}
}
