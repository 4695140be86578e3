// SPDX-License-Identifier: Apache-2.0

package local_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/local"
)

// lawful is a learner that misses as many sensitive words, and redacts as many others, as
// a power law of the number of local notes in training says.
type lawful struct {
	greedy.Learner // none; only Train is called
	missed, lost   func(n float64) float64
	random         *rand.Rand
}

func (l lawful) Train(_ context.Context, views []annotate.View) (greedy.Classifier, error) {
	n := 0.0
	for _, v := range views {
		if v.Name == here {
			n++
		}
	}
	return lawfulClassifier{missed: l.missed(n), lost: l.lost(n), random: l.random}, nil
}

type lawfulClassifier struct {
	greedy.Classifier
	missed, lost float64
	random       *rand.Rand
}

func (c lawfulClassifier) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for t := range out {
		if share := c.random.Float64(); v.Sensitive[t] && share >= c.missed || !v.Sensitive[t] && share < c.lost {
			out[t] = 1
		}
	}
	return out
}

const here = "here"

// made are notes with 10 sensitive words of 100, two of each patient.
func made(name string, n int) []annotate.Note {
	out := make([]annotate.Note, n)
	for i := range out {
		out[i] = annotate.Note{Name: name, Group: fmt.Sprint(name, i/2), Words: make([]string, 100), Sensitive: make([]bool, 100)}
		for t := range 10 {
			out[i].Sensitive[t] = true
		}
	}
	return out
}

// all says that all notes were drawn at random.
func all(n int) []bool { return slices.Repeat([]bool{true}, n) }

func law(zero, b float64) func(n float64) float64 {
	return func(n float64) float64 { return zero * math.Pow(1+n/5, -b) }
}

// TestRangesHoldWhatALawGives: of many curves by laws of all steepnesses, at least eight of
// ten ranges hold the share that the law has with more notes.
func TestRangesHoldWhatALawGives(t *testing.T) {
	trials, held := 0, map[string]int{}
	for _, b := range []float64{0, 0.3, 0.7, 1.2} {
		for _, zero := range []float64{0.05, 0.4} {
			for seed := range uint64(12) {
				l := lawful{missed: law(zero, b), lost: law(zero/2, b), random: rand.New(rand.NewPCG(seed, 1))}
				c, err := local.Measure(t.Context(), made("there", 3), made(here, 20), all(20), local.Options{Learner: l, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range c.Predict(10, 20, 30, 100) {
					trials++
					n := float64(p.Notes)
					if m := l.missed(n); p.Missed.Low <= m && m <= p.Missed.High {
						held["missed"]++
					}
					if k := 1 - l.lost(n); p.Kept.Low <= k && k <= p.Kept.High {
						held["kept"]++
					}
					if p.Missed.Low > p.Missed.Value || p.Missed.Value > p.Missed.High || p.Kept.Low > p.Kept.Value || p.Kept.Value > p.Kept.High {
						t.Errorf("disordered: %+v", p)
					}
				}
			}
		}
	}
	for what, n := range held {
		if n < trials*8/10 {
			t.Errorf("%s: %d of %d ranges hold", what, n, trials)
		}
	}
}

// TestSteepLawsArePredictedBelowFlatOnes: what is measured decides what is predicted.
func TestSteepLawsArePredictedBelowFlatOnes(t *testing.T) {
	last := math.Inf(1)
	for _, b := range []float64{0.1, 0.6, 1.2} {
		c, err := local.Measure(t.Context(), made("there", 3), made(here, 40), all(40), local.Options{Learner: lawful{missed: law(0.4, b), lost: law(0, 1), random: rand.New(rand.NewPCG(1, 1))}, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		p := c.Predict(10, 100)[0]
		if p.Missed.Value >= last || p.Kept.Value < 0.999 {
			t.Errorf("b = %g: missed %g after %g, kept %g", b, p.Missed.Value, last, p.Kept.Value)
		}
		last = p.Missed.Value
	}
}

// TestNoNoteIsRedactedByWhatWasTrainedOnItsPatient, and the trainings have none, half and
// four fifths of the local notes.
func TestNoNoteIsRedactedByWhatWasTrainedOnItsPatient(t *testing.T) {
	w := &watching{}
	notes := made(here, 20)
	if _, err := local.Measure(t.Context(), made("there", 3), notes, all(20), local.Options{Learner: w, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if want := []int{3, 13, 13, 19, 19, 19, 19, 19}; !slices.Equal(w.trained, want) {
		t.Errorf("trained on %v notes, want %v", w.trained, want)
	}
	if w.leaks > 0 || w.scored != 3*len(notes) {
		t.Errorf("%d notes scored, %d by what was trained on their patient", w.scored, w.leaks)
	}
}

type watching struct {
	greedy.Learner
	trained       []int
	scored, leaks int
}

func (w *watching) Train(_ context.Context, views []annotate.View) (greedy.Classifier, error) {
	w.trained = append(w.trained, len(views))
	known := map[string]bool{}
	for _, v := range views {
		known[v.Group] = true
	}
	return watched{w: w, known: known}, nil
}

type watched struct {
	greedy.Classifier
	w     *watching
	known map[string]bool
}

func (h watched) Scores(v annotate.View) []float64 {
	if h.w.scored++; h.known[v.Group] {
		h.w.leaks++
	}
	return make([]float64, len(v.Words))
}

// TestOnlyRandomNotesAreCounted: what is missed in the others changes nothing, but they are
// in training.
func TestOnlyRandomNotesAreCounted(t *testing.T) {
	notes, random := made(here, 40), all(40)
	for i := range 20 {
		random[i], notes[i].Sensitive = false, make([]bool, 100)
	}
	c, err := local.Measure(t.Context(), made("there", 3), notes, random, local.Options{Learner: lawful{missed: law(0.4, 0), lost: law(0.2, 0), random: rand.New(rand.NewPCG(1, 1))}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 { // were they counted, all of them would be kept
		notes[i].Sensitive = nil
	}
	if p := c.Predict(10, 40)[0]; p.Missed.Value < 0.3 || p.Missed.Value > 0.5 || p.Kept.Value < 0.75 || p.Kept.Value > 0.85 {
		t.Errorf("%+v, want .4 missed and .8 kept", p)
	}
	random[39] = false
	if _, err := local.Measure(t.Context(), nil, notes[20:], append(make([]bool, 11), random[31:]...), local.Options{}); !errors.Is(err, local.ErrFew) {
		t.Errorf("eight random notes: %v", err)
	}
}

func TestTooFewNotesOrPatientsForetellNothing(t *testing.T) {
	one := made(here, 20)
	for i := range one {
		one[i].Group = "one"
	}
	for name, notes := range map[string][]annotate.Note{"none": nil, "nine": made(here, 9), "of one patient": one} {
		if _, err := local.Measure(t.Context(), made("there", 3), notes, all(len(notes)), local.Options{Learner: lawful{}}); !errors.Is(err, local.ErrFew) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
