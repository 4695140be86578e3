// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"hide/internal/annotate"
)

// atOnce cross-fits in one go what frequency does fold by fold.
type atOnce struct {
	frequency
	trained, crossed *atomic.Int32
	kept             *[]Classifier
}

func newAtOnce() atOnce {
	return atOnce{frequency{}, &atomic.Int32{}, &atomic.Int32{}, new([]Classifier)}
}

func (a atOnce) EncodeClassifier(h Classifier) ([]byte, error) {
	*a.kept = append(*a.kept, h)
	return []byte{byte(len(*a.kept) - 1)}, nil
}

func (a atOnce) DecodeClassifier(raw []byte) (Classifier, error) { return (*a.kept)[raw[0]], nil }

func (a atOnce) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	a.trained.Add(1)
	return a.frequency.Train(ctx, all)
}

func (a atOnce) CrossFit(ctx context.Context, all []annotate.View, fold []int, folds int) (scores [][]float64, hard [][]bool, full Classifier, err error) {
	a.crossed.Add(1)
	s := newScored(len(all))
	for f := range folds {
		kept, held := split(all, fold, f)
		h, err := a.frequency.Train(ctx, kept)
		if err != nil {
			return nil, nil, nil, err
		}
		s.score(h, all, held)
	}
	for i, v := range all {
		if len(v.Words) == 0 {
			s.scores[i], s.hard[i] = nil, nil
		}
	}
	full, err = a.frequency.Train(ctx, all)
	return s.scores, s.hard, full, err
}

func TestCrossFittingAtOnceIsFoldByFold(t *testing.T) {
	docs := append([]annotate.Note{{Group: "empty"}}, random(rand.New(rand.NewPCG(100, 1)), 30)...)
	for _, mode := range []Mode{PaperHoldout, GreedyUnion, Default, Cost} {
		want, err := Sanitize(t.Context(), docs, params(mode, 2, 10), nil)
		if err != nil {
			t.Fatal(err)
		}
		learner, p := newAtOnce(), params(mode, 2, 10)
		p.Learners, p.Checkpoint = []Learner{learner}, newShelf()
		for again := range 2 {
			got, err := Sanitize(t.Context(), docs, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(outcomes(got), outcomes(want)) {
				t.Errorf("%s: another result than fold by fold", mode)
			}
			if n := learner.crossed.Swap(0); (n == 0) != (again == 1) {
				t.Errorf("%s: cross-fitted %d times in run %d", mode, n, again+1)
			}
		}
	}
}

// lopsided is a CrossFitter whose classifier of all documents is not what Train
// gives.
type lopsided struct{ atOnce }

func (l lopsided) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	_, err := l.atOnce.Train(ctx, all)
	return always(true), err
}

func TestAClassifierDoesNotDependOnWhatWasAskedBefore(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(102, 1)), 30)
	for _, learner := range []Learner{lopsided{newAtOnce()}, struct{ CrossFitter }{lopsided{newAtOnce()}}} { // the second keeps no classifiers
		p := params(Default, 5)
		p.Learners, p.Checkpoint = []Learner{learner}, newShelf()
		for run, scoresFirst := range []bool{false, true, false, true} {
			l := newLab(docs, p.withDefaults(), newPool(1))
			if scoresFirst {
				if _, err := l.outOfFold(t.Context(), 0, nothing(docs)); err != nil {
					t.Fatal(err)
				}
			}
			h, err := l.classifier(t.Context(), 0, nothing(docs))
			if _, another := h.(always); err != nil || another || h == nil {
				t.Errorf("%T, run %d: error %v, or the classifier is not that of the cross-fit", learner, run+1, err)
			}
		}
	}
}

func TestCrossFittingAtOnceGivesTheClassifierToo(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(101, 1)), 30)
	learner, p := newAtOnce(), params(Cost, 5)
	p.Learners = []Learner{learner}
	l := newLab(docs, p.withDefaults(), newPool(1))
	if _, err := l.solve(t.Context(), Cost, 5, 0, ignore); err != nil || learner.trained.Load() != 0 || learner.crossed.Load() != 1 {
		t.Errorf("error %v, %d trainings beside %d", err, learner.trained.Load(), learner.crossed.Load())
	}
}

func TestFoldsThatTellNothingApartAreTrainedOneByOne(t *testing.T) {
	docs := []annotate.Note{text("a", "*x y"), text("b", "z"), text("c", "w w")}
	learner, p := newAtOnce(), params(Default, 5)
	p.Learners = []Learner{learner}
	if _, err := Sanitize(t.Context(), docs, p, nil); err != nil || learner.crossed.Load() != 0 {
		t.Errorf("error %v, cross-fitted %d times", err, learner.crossed.Load())
	}
}

// spreading marks a word in every document of a batch that has it with "Dr"
// before it in one of them.
type spreading struct{}

func (spreading) ScoreAll(all []annotate.View) [][]float64 {
	known := map[string]bool{}
	for _, v := range all {
		for x := 1; x < len(v.Words); x++ {
			if v.Word(x-1) == "Dr" {
				known[v.Word(x)] = true
			}
		}
	}
	out := make([][]float64, len(all))
	for i, v := range all {
		out[i] = byWord(known).Scores(v)
	}
	return out
}

func (s spreading) Scores(v annotate.View) []float64 { return s.ScoreAll([]annotate.View{v})[0] }

func (s spreading) Hard(v annotate.View) []bool { return atLeast(s.Scores(v), 0.5) }

func (s spreading) HardAll(all []annotate.View) [][]bool { return allAtLeast(s.ScoreAll(all), 0.5) }

func TestDocumentsPublishedTogetherAreReadTogether(t *testing.T) {
	for _, hard := range []bool{false, true} {
		readTogether(t, Ensemble{{Classifier: byWord{"Bo": true}, Hard: true}, {Classifier: spreading{}, Threshold: 0.5, Hard: hard}})
	}
}

func readTogether(t *testing.T, e Ensemble) {
	t.Helper()
	docs := []annotate.Note{text("a", "Dr Ana and Bo"), text("b", "Ana and Bo")}
	if got, want := e.RedactAll(docs), [][]bool{{false, true, false, true}, {true, false, true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("together: %v, want %v", got, want)
	}
	if got, want := e.Redact(docs[1]), []bool{false, false, true}; !slices.Equal(got, want) {
		t.Errorf("alone: %v, want %v", got, want)
	}
}
