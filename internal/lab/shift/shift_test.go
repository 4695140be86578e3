// SPDX-License-Identifier: Apache-2.0

package shift

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/detect"
	"hide/internal/hospital"
)

// TestTheBestThresholdIsTheBestOfAll tries every threshold.
func TestTheBestThresholdIsTheBestOfAll(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		docs, scores := make([]annotate.Note, 3), make([][]float64, 3)
		thresholds := []float64{2}
		for i := range docs {
			for range r.IntN(6) {
				docs[i].Sensitive = append(docs[i].Sensitive, r.IntN(3) == 0)
				scores[i] = append(scores[i], float64(r.IntN(5))/4)
			}
			thresholds = append(thresholds, scores[i]...)
		}
		lc, least := float64(1+r.IntN(5)), math.Inf(1)
		for _, threshold := range thresholds {
			masks := make([][]bool, len(docs))
			for i, s := range scores {
				for _, p := range s {
					masks[i] = append(masks[i], p >= threshold)
				}
			}
			_, loss := judge(docs, masks, lc)
			least = min(least, loss)
		}
		if _, loss := bestCut(docs, scores, lc); loss != least {
			t.Fatalf("seed %d: T(H) %g, the best is %g", seed, loss, least)
		}
	}
}

func generated(institution string, seed uint64, patients int) []annotate.Annotated {
	return slices.Collect(hospital.Generate(hospital.Options{Patients: patients, Seed: seed, Institution: institution, MinNotes: 1, MaxNotes: 2}))
}

// measure is [Measure] with learners that train fast.
func measure(t *testing.T, notes, from []annotate.Annotated, o Options) *Result {
	t.Helper()
	o.LC, o.Folds, o.Seed = []float64{10}, 2, 1
	m, err := newMeter(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.detector.CRF.Features, m.detector.CRF.MaxIterations = crf.HIDE, 15
	few := boost.Options{Trees: 10, Rate: 0.3, Bins: 64}
	m.detector.Trees, m.detector.Second = few, few
	r, err := m.measure(context.Background(), notes, from)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAnotherHospitalIsMeasured also takes the limit of what may be redacted unmeasured from
// the result, and compares losses with shares.
func TestAnotherHospitalIsMeasured(t *testing.T) {
	r := measure(t, generated("b", 2, 8), generated("a", 1, 8), Options{})
	if !r.Drift.Warns() || len(r.Lines) != 4 {
		t.Fatalf("drift %v, %d lines", r.Drift.Warns(), len(r.Lines))
	}
	others := float64(r.Published.Tokens - r.Published.Sensitive)
	for _, l := range r.Lines {
		if loss := l.LC*l.Published.Missed*float64(r.Published.Sensitive) + (1-l.Published.Kept)*others; math.Abs(loss-l.Loss) > 1e-6*loss {
			t.Errorf("%s: T(H) %g, of its shares %g", l.Method, l.Loss, loss)
		}
		if l.More > 0.02 || l.Method == methodDefault && !(l.Trust >= .5 && l.Trust <= 1) {
			t.Errorf("%+v", l)
		}
	}
	var out bytes.Buffer
	r.Write(&out)
	for _, want := range []string{"drift: warning, by ", "best threshold", "default"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestDrawsCountWhatWasHonest draws from one hospital, where forecasts hold more often than
// they are withdrawn, and from another, where they are withdrawn.
func TestDrawsCountWhatWasHonest(t *testing.T) {
	a := generated("a", 1, 14)
	for _, other := range []bool{false, true} {
		notes, from := a, []annotate.Annotated(nil)
		if other {
			notes, from = generated("b", 2, 14), a
		}
		h := measure(t, notes, from, Options{Draws: 1, SkipBaselines: true, WithoutParts: []string{detect.Strangers.String()}}).Held[0]
		if h.Draws != 1 || h.Withdrawn > 0 != other || h.Honest != float64(h.Withdrawn+h.Covered) {
			t.Errorf("another hospital %v: %+v", other, h)
		}
	}
}

func TestUnknownPartsAreRefused(t *testing.T) {
	_, err := Measure(context.Background(), nil, nil, Options{WithoutParts: []string{"luck"}}, nil)
	if err == nil || !strings.Contains(fmt.Sprint(err), "luck") {
		t.Errorf("%v", err)
	}
}
