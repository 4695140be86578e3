// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"encoding/json"
	"strings"

	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"hide/internal/annotate"
)

func TestLemma2PrioritizingDoesNoWorseThanChance(t *testing.T) {
	r := rand.New(rand.NewPCG(70, 1))
	checked := 0
	for range 20000 {
		c := randomCounts(r)
		if !PrioritizingHelps(c) || c.TP+c.FN == 0 {
			continue
		}
		for b := max(1, c.TP+c.FP); b <= c.TP+c.FP+c.FN+c.TN; b++ {
			if got := Gain(c, b); got < 1-1e-9 {
				t.Fatalf("%+v with budget %d: U_A*/U_A = %g", c, b, got)
			}
			checked++
		}
	}
	if checked < 10000 {
		t.Fatalf("only %d cases", checked)
	}
}

// gainAtMost is lemma 3 (tkde): under the condition of lemma 2 and with a budget
// B >= TP+FP,
//
//	U_A*/U_A <= 1 + (TP*TN - FP*FN) / ((TP+FP)*(TP+FN));
//
// 1 when nothing is sensitive or marked.
func gainAtMost(c Counts) float64 {
	if c.TP+c.FP == 0 || c.TP+c.FN == 0 {
		return 1
	}
	return 1 + float64(c.TP*c.TN-c.FP*c.FN)/(float64(c.TP+c.FP)*float64(c.TP+c.FN))
}

func TestLemma3BoundsTheGainOfEveryBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 1))
	tight := 0
	for range 20000 {
		c := randomCounts(r)
		if !PrioritizingHelps(c) || c.TP+c.FP == 0 || c.TP+c.FN == 0 {
			continue
		}
		for b := c.TP + c.FP; b <= c.TP+c.FP+c.FN+c.TN; b++ {
			got, bound := Gain(c, b), gainAtMost(c)
			if got > bound+1e-9 {
				t.Fatalf("%+v with budget %d: U_A*/U_A = %g above %g", c, b, got, bound)
			}
			if got > bound-1e-9 {
				tight++
			}
		}
	}
	if tight < 1000 {
		t.Fatalf("the bound is met %d times: it should be at B = TP+FP", tight)
	}
}

func randomCounts(r *rand.Rand) Counts {
	return Counts{TP: r.IntN(12), FP: r.IntN(30), FN: r.IntN(12), TN: r.IntN(30)}
}

// sample is a last classifier on m training instances at which Algorithm 1 ends,
// an attacker's on as many published, and the smallest lambda of equation 5.
func sample(r *rand.Rand, lc float64) (train, published Counts, lambda float64, ok bool) {
	train = randomCounts(r)
	m := train.TP + train.FP + train.FN + train.TN
	published = Counts{TP: r.IntN(12), FP: r.IntN(30), FN: r.IntN(12)}
	published.TN = m - published.TP - published.FP - published.FN
	ok = train.TP >= 1 && LocalOptimum(lc, train) && published.TN >= 0
	lambda = max(0, float64(train.FP+train.FN-published.FP-published.FN)/float64(m))
	return train, published, lambda, ok
}

func TestLemma4AndTheorems5And6HoldWheneverEquation5Does(t *testing.T) {
	r := rand.New(rand.NewPCG(72, 1))
	meaningful, gains := 0, 0
	for range 300000 {
		lc := float64(1+r.IntN(40)) / 4
		train, published, lambda, ok := sample(r, lc)
		if !ok || published.TP == 0 {
			continue
		}
		f := NewFinite([]Counts{train}, published, 0.05, 1)
		f.Lambda = lambda
		if f.reach(lc) <= 0 {
			continue
		}
		meaningful++
		if got, bound := ratio(published.FP, published.TP), f.MinErrorRatio(lc); got < bound-1e-9 {
			t.Fatalf("lemma 4: FP_A/TP_A = %g below %g; %+v, %+v, lambda %g, L/C %g", got, bound, train, published, lambda, lc)
		}
		nonsensitive := published.FP + published.TN
		if bound := f.MaxTruePositives(lc, nonsensitive); float64(published.TP) > bound+1e-9 {
			t.Fatalf("theorem 5: TP_A = %d above %g; %+v, %+v", published.TP, bound, train, published)
		}
		if !PrioritizingHelps(published) {
			continue
		}
		gains++
		for b := published.TP + published.FP; b <= published.TP+published.FP+published.FN+published.TN; b++ {
			if got, bound := Gain(published, b), f.MaxGain(lc, nonsensitive); got > bound+1e-9 {
				t.Fatalf("theorem 6: U_A*/U_A = %g above %g; %+v, %+v", got, bound, train, published)
			}
		}
	}
	if meaningful < 5000 || gains < 1000 {
		t.Fatalf("%d cases in which the bounds say something, %d for theorem 6", meaningful, gains)
	}
}

// TestLemma4FailsWithQAsPrinted is why [NewFinite] has another q than the paper.
func TestLemma4FailsWithQAsPrinted(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 1))
	failures := 0
	for range 300000 {
		lc := float64(1+r.IntN(40)) / 4
		train, published, lambda, ok := sample(r, lc)
		if !ok || published.TP == 0 || train.TN == 0 || published.FP == 0 {
			continue
		}
		f := NewFinite([]Counts{train}, published, 0.05, 1)
		f.Q, f.Lambda = ratio(train.TP, train.TN), lambda
		if ratio(published.FP, published.TP) < f.MinErrorRatio(lc)-1e-9 {
			failures++
		}
	}
	if failures == 0 {
		t.Error("no counterexample met: the paper's q may do after all")
	}
}

func TestLambdaIsTheVCBoundByHandAndFallsWithTheSample(t *testing.T) {
	// 41/1000*(10*log(200e) + log(80)) = 41/1000*(10*6.298317 + 4.382027)
	if got, want := Lambda(0.05, 1000, 10), math.Sqrt(0.041*(10*6.298317+4.382027)); math.Abs(got-want) > 1e-6 {
		t.Errorf("lambda = %g, want %g", got, want)
	}
	if a, b := Lambda(0.05, 1e6, 10), Lambda(0.05, 1e8, 10); b >= a {
		t.Errorf("lambda grows from %g to %g with the sample", a, b)
	}
	if got := Lambda(0.05, 9, 10); !math.IsInf(got, 1) {
		t.Errorf("fewer instances than dimensions: %g", got)
	}
}

func TestBoundsSayWhenTheySayNothing(t *testing.T) {
	attacker := Counts{TP: 1, FP: 20, FN: 9, TN: 9970}
	for _, b := range Bounds(10, 10000, attacker) {
		if !b.Applies || b.Vacuous != (b.Value >= b.Trivial) || b.Observed > b.Value {
			t.Errorf("%+v", b)
		}
		for _, lc := range []float64{b.NeedsLC * 0.999, b.NeedsLC * 1.001} {
			again := byName(Bounds(lc, 10000, attacker), b.Theorem)
			if again.Vacuous != (lc < b.NeedsLC) {
				t.Errorf("%s needs L/C %g; at %g %+v", b.Theorem, b.NeedsLC, lc, again)
			}
		}
	}
	three := byName(Bounds(10, 10000, attacker), "theorem 3")
	if three.Value != 1000 || three.Trivial != 10 || three.Excess != 100 || three.NeedsLC != 1000 || three.Observed != 1 {
		t.Errorf("%+v", three)
	}
}

func TestFiniteBoundsSayWhenTheySayNothing(t *testing.T) {
	train, attacker := Counts{TP: 400, FP: 9000, FN: 300, TN: 990300}, Counts{TP: 2, FP: 50, FN: 8, TN: 99940}
	for _, b := range FiniteBounds(10, 100000, []Counts{train}, attacker, 0.05, 3) {
		if !b.Applies || b.NeedsLC <= 10 || !b.Vacuous {
			t.Errorf("%+v", b)
		}
		for _, lc := range []float64{b.NeedsLC * 0.999, b.NeedsLC * 1.001} {
			if again := byName(FiniteBounds(lc, 100000, []Counts{train}, attacker, 0.05, 3), b.Theorem); again.Vacuous != (lc < b.NeedsLC) {
				t.Errorf("%s needs L/C %g; at %g %+v", b.Theorem, b.NeedsLC, lc, again)
			}
		}
	}
	for _, b := range FiniteBounds(10, 100000, []Counts{Counts{TN: 5}}, attacker, 0.05, 3) {
		if b.Applies || !math.IsInf(b.Value, 1) || !b.Vacuous {
			t.Errorf("nothing found in training: %+v", b)
		}
	}
}

// No counts make a bound that is no number, nor one that says something where it is
// not below what an attacker gets anyway.
func TestBoundsAreNumbersForAllCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(74, 1))
	counts := func() Counts { return Counts{TP: r.IntN(3), FP: r.IntN(3), FN: r.IntN(3), TN: r.IntN(3)} }
	many := Counts{TP: 4000, FN: 3000, TN: 9000000} // without a false positive p is 0
	for range 20000 {
		train, attacker, nonsensitive := counts(), counts(), r.IntN(3)
		if r.IntN(2) == 0 {
			train = many
			train.FP = r.IntN(2) * 9000
		}
		lc := []float64{0.25, 1, 100, 1e6}[r.IntN(4)]
		for _, b := range append(Bounds(lc, nonsensitive, attacker), FiniteBounds(lc, nonsensitive, []Counts{train}, attacker, 0.05, 3)...) {
			if math.IsNaN(b.Value) || b.Vacuous == (b.Value < b.Trivial) {
				t.Fatalf("train %+v, attacker %+v, L/C %g: %+v", train, attacker, lc, b)
			}
		}
	}
	six := byName(FiniteBounds(100, 1000, []Counts{many}, Counts{TP: 2, FN: 5, TN: 993}, 0.05, 3), "theorem 6")
	if six.Value != 1001 || !six.Vacuous {
		t.Errorf("of an attacker without a false positive: %+v", six)
	}
}

// Equal parts have the constants of one of them, with lambda for a k-th of delta; the
// bounds need each part's run to have ended.
func TestFiniteBoundsOfSeveralPartsPoolThem(t *testing.T) {
	train, attacker := Counts{TP: 10, FP: 200, FN: 40, TN: 4000}, Counts{TP: 2, FP: 50, FN: 8, TN: 99940}
	one := NewFinite([]Counts{train}, attacker, 0.05/3, 2)
	three := NewFinite([]Counts{train, train, train}, attacker, 0.05, 2)
	if one != three {
		t.Errorf("of three equal parts %+v, of one %+v", three, one)
	}
	smaller := Counts{TP: 1, FP: 20, FN: 4, TN: 400}
	if got, want := NewFinite([]Counts{train, smaller}, attacker, 0.05, 2).Lambda, Lambda(0.025, 425, 2); got != want {
		t.Errorf("lambda %g, want that of the smallest part, %g", got, want)
	}
	ended := FiniteBounds(10, 1000, []Counts{train, smaller}, attacker, 0.05, 2)
	running := FiniteBounds(10, 1000, []Counts{train, {TP: 9, FP: 20, FN: 4, TN: 400}}, attacker, 0.05, 2)
	if !ended[0].Applies || running[0].Applies {
		t.Errorf("applies when all ended: %t; when one did not: %t", ended[0].Applies, running[0].Applies)
	}
}

// With a loss of L_c = L/4 for the one category there is, a bound says what it would
// say without at four times the L/C.
func TestBoundsTellInLCWhatTheyNeed(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(74, 2)), 40)
	run := func(loss float64) []Bound {
		p := params(Paper, 10)
		p.VC, p.LossByLabel = 5, map[annotate.Label]float64{"": loss}
		result, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		return result.Choices[0].Bounds
	}
	told := 0
	whole, quarter := run(1), run(0.25)
	for i, b := range whole {
		if b.Observed != quarter[i].Observed || math.IsInf(b.NeedsLC, 0) || math.IsNaN(b.NeedsLC) {
			continue
		}
		told++
		if got, want := quarter[i].NeedsLC, 4*b.NeedsLC; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s needs L/C %g with a quarter of the loss, %g without", b.Theorem, got, b.NeedsLC)
		}
	}
	if told < 2 {
		t.Errorf("%d bounds compared: %+v %+v", told, whole, quarter)
	}
}

func TestBoundsDoNotApplyAwayFromLocalOptima(t *testing.T) {
	for _, b := range Bounds(10, 100, Counts{TP: 5, FP: 2, FN: 3, TN: 90}) {
		if b.Applies {
			t.Errorf("%+v", b)
		}
	}
	for _, b := range Bounds(10, 100, Counts{FP: 2, TN: 90}) {
		if math.IsNaN(b.Value) || math.IsNaN(b.Excess) {
			t.Errorf("nothing left: %+v", b)
		}
	}
}

func byName(all []Bound, theorem string) Bound {
	for _, b := range all {
		if b.Theorem == theorem {
			return b
		}
	}
	return Bound{}
}

func TestChoicesComeWithTheirBounds(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(74, 1)), 40)
	for _, mode := range []Mode{Paper, Default} {
		p := params(mode, 3)
		p.VC = 5
		result, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := result.Choices[0]
		o := c.Outcome
		if o.HeldOut != nil {
			o = *o.HeldOut
		}
		if want := map[Mode]int{Paper: 4, Default: 2}[mode]; len(c.Bounds) != want {
			t.Fatalf("%s: %d bounds", mode, len(c.Bounds))
		}
		for _, b := range c.Bounds {
			if found := b.Theorem == "theorem 3" || b.Theorem == "theorem 5"; found && (b.Observed != o.Attack.Classifier.Value || b.Trivial != o.Residual.Value) {
				t.Errorf("%s: %+v; the attacker finds %g of %g", mode, b, o.Attack.Classifier.Value, o.Residual.Value)
			}
			if b.Applies && b.Observed > b.Value && b.Theorem != "theorem 5" && b.Theorem != "theorem 6" {
				t.Errorf("%s: %+v", mode, b)
			}
		}
	}
	p := params(Default, 3)
	for _, v := range []float64{-1, 0.5, math.NaN(), math.Inf(1)} {
		p.VC = v
		if _, err := Sanitize(t.Context(), docs, p, nil); err == nil {
			t.Errorf("a dimension of %g is taken", v)
		}
	}
}

// A class that can fit anything, and a classifier without false positives.
func TestBoundsOfTooFewInstancesAreInfinite(t *testing.T) {
	train, attacker := Counts{TP: 1, TN: 5}, Counts{TP: 1, FN: 1, TN: 98}
	for _, b := range FiniteBounds(2, 100, []Counts{train}, attacker, 0.05, 1e9) {
		if !math.IsInf(b.Value, 1) || !b.Vacuous {
			t.Errorf("%s: %+v, want an infinite bound that says nothing", b.Theorem, b)
		}
	}
	train.FP, train.FN = 3, 1
	for _, b := range FiniteBounds(2, 100, []Counts{train}, attacker, 0.05, 1e9) {
		if !math.IsInf(b.NeedsLC, 1) {
			t.Errorf("%s needs L/C above %g, want that none will do", b.Theorem, b.NeedsLC)
		}
	}
}

// The publisher's classifier has 2 false positives for 4 misses and 10 hits among 40,
// the attacker's 5 hits and 3 for 6.
func TestFiniteBoundsSayWhatTheyAreMadeOf(t *testing.T) {
	train, attacker := Counts{TP: 10, FP: 2, FN: 4, TN: 24}, Counts{TP: 5, FP: 3, FN: 6, TN: 50}
	want := Finite{P: 0.5, Q: 0.25, R: 0.1, S: 0.5, Lambda: Lambda(0.05, 40, 2)}
	// (1/(1+1/s)) * ((1+1/p)*q*L/C - lambda) / r
	least := (1.0 / 3) * (3*0.25*100 - want.Lambda) / 0.1
	for _, b := range FiniteBounds(100, 53, []Counts{train}, attacker, 0.05, 2) {
		if b.Constants == nil || b.Constants.Finite != want || math.Abs(b.Constants.ErrorRatio-least) > 1e-9*least {
			t.Errorf("%s: %+v, want %+v and %g", b.Theorem, b.Constants, want, least)
		}
	}
	for _, b := range Bounds(100, 53, attacker) {
		if b.Constants != nil {
			t.Errorf("%s has constants", b.Theorem)
		}
	}
}

func TestBoundsComeBackFromJSON(t *testing.T) {
	for _, b := range []Bound{
		{Theorem: "theorem 3", Applies: true, Value: 12.5, Observed: 3, Trivial: 40, Excess: 0.3125, NeedsLC: 2},
		{Theorem: "theorem 4", Value: math.Inf(1), Trivial: 7, Vacuous: true, Excess: math.Inf(1), NeedsLC: math.Inf(1)},
		{Theorem: "theorem 5", Value: 9, Constants: &Constants{Finite{P: math.Inf(1), Q: 0.5, R: 0.01, S: 2, Lambda: 3}, math.Inf(1), 12}},
	} {
		raw, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		var back Bound
		if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(back, b) {
			t.Errorf("%s read back as %+v (%v)", raw, back, err)
		}
	}
	raw, err := json.Marshal(Bound{NeedsLC: math.NaN()})
	if err != nil || !strings.Contains(string(raw), `"needs_lc":null`) {
		t.Errorf("what is not a number is written as %s (%v)", raw, err)
	}
}

// The observed number of theorem 3 and what it bounds come from the notes that the other
// figures count, the random ones.
func TestBoundsCountTheMeasuredNotes(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(75, 1)), 60)
	for i := range docs {
		docs[i].Selected = i%3 == 0
	}
	for _, mode := range []Mode{Paper, Default, Cost} {
		p := params(mode, 3)
		p.VC = 5
		result, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := result.Choices[0].Outcome
		if o.HeldOut != nil {
			o = *o.HeldOut
		}
		three := byName(result.Choices[0].Bounds, "theorem 3")
		other := 0
		for _, d := range docs {
			if !d.Selected {
				other += len(d.Words) - d.CountSensitive()
			}
		}
		if three.Observed != o.Attack.Classifier.Value || three.Trivial != o.Residual.Value || three.Value != float64(other)/3 {
			t.Errorf("%s: %+v; the attacker finds %g of %g, among %d other tokens", mode, three, o.Attack.Classifier.Value, o.Residual.Value, other)
		}
	}
}

// Without a stated dimension it is the number of weights of the largest CRF plus 1.
func TestTheDimensionIsThatOfTheWeights(t *testing.T) {
	docs := letters(24)
	result, err := Sanitize(t.Context(), docs, Params{Mode: Paper, LC: []float64{10}, Folds: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	five := byName(result.Choices[0].Bounds, "theorem 5")
	if five.Constants == nil || five.Constants.VC < 10 {
		t.Fatalf("%+v", five)
	}
	stated, err := Sanitize(t.Context(), docs, Params{Mode: Paper, LC: []float64{10}, Folds: 2, VC: five.Constants.VC}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again := byName(stated.Choices[0].Bounds, "theorem 5"); !reflect.DeepEqual(again.Constants, five.Constants) {
		t.Errorf("stated %+v, by default %+v", again, five)
	}
	m := result.Choices[0].Classifiers[0].Classifier.(*Model)
	if Dimension(m) != float64(m.CRF.Weights()+1) || Dimension(always(true)) != 0 {
		t.Errorf("dimensions %g and %g", Dimension(m), Dimension(always(true)))
	}
}
