// SPDX-License-Identifier: Apache-2.0

package score

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hide/internal/annotate"
)

var one = []annotate.Span{span(0, 1, "N")}

// foundIn returns documents with one name each; the name is found in the first ones.
func foundIn(found, all int) []Prediction {
	docs := make([]Prediction, all)
	for i := range docs {
		docs[i] = document(tenTokens, one, nil)
		if i < found {
			docs[i] = document(tenTokens, one, one)
		}
	}
	return docs
}

// With n documents of one name, of which m are found, recall in a draw is a
// binomial share.
func TestIntervalIsThatOfDrawnDocuments(t *testing.T) {
	r := Of(foundIn(60, 100), Options{Resamples: 2000, Seed: 1})
	i := r.Entity.Micro.Interval.Recall
	spread := 1.96 * math.Sqrt(0.6*0.4/100)
	if math.Abs(i.Low-(0.6-spread)) > 0.02 || math.Abs(i.High-(0.6+spread)) > 0.02 {
		t.Errorf("interval %+v, want about 0.6 +- %.3f", i, spread)
	}
	if r.Entity.Micro.Interval.Groups != 100 || r.Bootstrap != (Draws{2000, 1, 100, 100}) {
		t.Errorf("%d groups, %+v", r.Entity.Micro.Interval.Groups, r.Bootstrap)
	}
}

// Ten copies of each document of one patient are ten times the tokens, but not more
// evidence.
func TestDocumentsOfAPatientAreDrawnTogether(t *testing.T) {
	single, copies := foundIn(6, 10), []Prediction(nil)
	for i := range single {
		single[i].Patient = fmt.Sprint(i)
		for range 10 {
			copies = append(copies, single[i])
		}
	}
	o := Options{Resamples: 1000, Seed: 7}
	a, b := Of(single, o), Of(copies, o)
	if *a.Entity.Micro.Interval != *b.Entity.Micro.Interval || a.Entity.Micro.Interval.Groups != 10 {
		t.Errorf("intervals %+v of ten documents, %+v of ten copies of each", a.Entity.Micro.Interval, b.Entity.Micro.Interval)
	}
	if *a.Leaks.Patients.Interval != *b.Leaks.Patients.Interval {
		t.Errorf("patients %+v and %+v", a.Leaks.Patients.Interval, b.Leaks.Patients.Interval)
	}
}

func TestNothingWrongSoFarIsNotNeverWrong(t *testing.T) {
	r := Of(foundIn(20, 20), Options{Resamples: 200})
	i := r.Entity.Micro.Interval
	if want := 1 - none97/20; math.Abs(i.Recall.Low-want) > 1e-12 || i.Recall.High != 1 || i.Precision.Low != i.Recall.Low || i.F1.Low >= 1 {
		t.Errorf("interval of 20 of 20: %+v, want from %g", i, want)
	}
	if none := Of(foundIn(0, 20), Options{Resamples: 200}).Leaks.Documents.Interval; none.Low != 1-none97/20 || none.High != 1 {
		t.Errorf("20 of 20 documents leak: %+v", none)
	}
}

func TestMeanOfLabelsWithoutAnErrorIsNotCertain(t *testing.T) {
	i := Of(foundIn(30, 30), Options{Resamples: 200, Seed: 1}).Entity.Macro.Interval
	if want := 1 - none97/30; i.Recall.High != 1 || math.Abs(i.Recall.Low-want) > 1e-12 || math.Abs(i.F1.Low-want) > 1e-12 {
		t.Errorf("interval %+v, want %g to 1: 30 notes may hide one in eight", i, want)
	}
}

func TestPrecisionOfNothingPredictedIsNotKnown(t *testing.T) {
	if i := Of(foundIn(0, 10), Options{Resamples: 50}).Entity.Micro.Interval; i.Precision != (Interval{0, 1}) {
		t.Errorf("interval %+v, want 0 to 1", i.Precision)
	}
}

func TestOneGroupOrNoDrawsGiveNoInterval(t *testing.T) {
	if r := Of(foundIn(1, 1), Options{Resamples: 100}); r.Entity.Micro.Interval != nil || r.Leaks.Documents.Interval != nil || r.Bootstrap.Resamples != 0 {
		t.Errorf("one document has the interval %+v", r.Entity.Micro.Interval)
	}
	if r := Of(foundIn(5, 10), Options{}); r.Entity.Micro.Interval != nil || r.Entity.Macro.Interval != nil {
		t.Error("there are intervals without draws")
	}
	docs := append(foundIn(3, 4), document(tenTokens, []annotate.Span{span(3, 4, "RARE")}, nil))
	if r := Of(docs, Options{Resamples: 100}); r.Entity.Labels["RARE"].Interval != nil || r.Entity.Labels["N"].Interval == nil {
		t.Error("a label in one document has an interval, or a label in four has none")
	}
}

// randomDocuments have a few patients, labels, errors and probabilities.
func randomDocuments(seed uint64, n int) []Prediction {
	r := rand.New(rand.NewPCG(seed, 5))
	docs := make([]Prediction, n)
	for i := range docs {
		docs[i] = document(tenTokens, someSpans(r, false), someSpans(r, false))
		if r.IntN(3) > 0 {
			docs[i].Patient = fmt.Sprint(r.IntN(n))
		}
		docs[i].Probability = make([]float64, len(docs[i].Tokens))
		for x := range docs[i].Probability {
			docs[i].Probability[x] = r.Float64()
		}
		for x := range docs[i].Predicted {
			docs[i].Predicted[x].Score = float64(r.IntN(20)) / 20
		}
	}
	return docs
}

func TestEveryIntervalHoldsItsValue(t *testing.T) {
	for seed := range uint64(20) {
		r := Of(randomDocuments(seed, 12), Options{Resamples: 100, Seed: seed})
		holds := func(i Interval, v float64) {
			if !(i.Low <= v && v <= i.High && i.Low >= 0 && i.High <= 1) {
				t.Fatalf("interval %+v of %g", i, v)
			}
		}
		for _, level := range []Level{r.Entity, r.Overlap, r.Token} {
			if i := level.Macro.Interval; i != nil {
				holds(i.Precision, level.Macro.Precision)
				holds(i.Recall, level.Macro.Recall)
				holds(i.F1, level.Macro.F1)
			}
			for _, tally := range level.Labels {
				if i := tally.Interval; i != nil {
					holds(i.Precision, tally.Precision)
					holds(i.Recall, tally.Recall)
					holds(i.F1, tally.F1)
				}
			}
		}
		holds(r.I2B2.Token.Macro.Interval.F1, r.I2B2.Token.Macro.F1)
		for _, b := range r.Calibration.Tokens.Width {
			holds(*b.Interval, b.Observed)
		}
	}
}

func TestEqualInputGivesEqualBytes(t *testing.T) {
	report := func(seed uint64) string {
		raw, err := json.Marshal(Of(randomDocuments(3, 15), Options{Resamples: 50, Seed: seed}))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if first, second := report(1), report(1); first != second {
		t.Error("two reports of the same documents differ")
	}
	if report(1) == report(2) {
		t.Error("the seed changes nothing")
	}
}
