// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"hide/internal/annotate"
)

// shelf is a checkpoint in memory.
type shelf struct {
	mu     sync.Mutex // guards values
	values map[[sha256.Size]byte][]byte
}

func newShelf() *shelf { return &shelf{values: map[[sha256.Size]byte][]byte{}} }

func (s *shelf) Load(key [sha256.Size]byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[key]
}

func (s *shelf) Save(key [sha256.Size]byte, value []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = value
}

// counting counts trainings, and calls off at one of them.
type counting struct {
	Learner
	trained *atomic.Int32
	at      int32
	off     context.CancelFunc
}

func (c counting) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	if n := c.trained.Add(1); n == c.at {
		c.off()
	}
	return c.Learner.Train(ctx, all)
}

// keeping is counting for a [Keeper].
type keeping struct {
	counting
	Keeper
}

func (k keeping) Name() string { return k.Keeper.Name() }

func (k keeping) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	return k.counting.Train(ctx, all)
}

func TestARunThatWasCutShortResumesWithoutTrainingAgain(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(95, 1)), 30)
	for _, mode := range []Mode{PaperHoldout, GreedyUnion, Default, Cost} {
		whole := &atomic.Int32{}
		run := func(ctx context.Context, c counting, shelf *shelf) (*Result, error) {
			p := params(mode, 2, 10)
			c.Learner, p.Learners = frequency{}, []Learner{nil}
			p.Learners[0] = c
			if shelf != nil {
				p.Checkpoint = shelf
			}
			return Sanitize(ctx, docs, p, nil)
		}
		want, err := run(t.Context(), counting{trained: whole}, nil)
		if err != nil {
			t.Fatal(err)
		}
		kept, first, second := newShelf(), &atomic.Int32{}, &atomic.Int32{}
		ctx, off := context.WithCancel(t.Context())
		if _, err := run(ctx, counting{trained: first, at: whole.Load() * 2 / 3, off: off}, kept); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: error %v", mode, err)
		}
		got, err := run(t.Context(), counting{trained: second}, kept)
		if err != nil || !reflect.DeepEqual(outcomes(got), outcomes(want)) {
			t.Errorf("%s: error %v, or another result than in one go", mode, err)
		}
		if n := second.Load(); n > whole.Load()/2+2 {
			t.Errorf("%s: %d trainings after %d of %d", mode, n, first.Load(), whole.Load())
		}
		third := &atomic.Int32{}
		again, err := run(t.Context(), counting{trained: third}, kept)
		classifiers := 0
		for _, c := range got.Choices {
			classifiers += len(c.Classifiers)
		}
		if err != nil || !reflect.DeepEqual(outcomes(again), outcomes(want)) || int(third.Load()) > classifiers {
			t.Errorf("%s: %d trainings for %d classifiers the third time, %v", mode, third.Load(), classifiers, err)
		}
	}
}

// outcomes are choices without the classifiers, and with 0 for what is not a number, which
// equals nothing.
func outcomes(r *Result) []Choice {
	var out []Choice
	for _, c := range r.Choices {
		c.Classifiers, c.Bounds = nil, slices.Clone(c.Bounds)
		for i, b := range c.Bounds {
			if math.IsNaN(b.NeedsLC) {
				c.Bounds[i].NeedsLC = 0
			}
		}
		out = append(out, c)
	}
	return out
}

func TestWhatIsKeptOfClassifiersRedactsTheSame(t *testing.T) {
	docs, kept := letters(16), newShelf()
	for _, learner := range []Keeper{CRF{}, Bayes{}} {
		for _, mode := range []Mode{Paper, Default} {
			trained := &atomic.Int32{}
			p := Params{Mode: mode, LC: []float64{10}, Checkpoint: kept, Learners: []Learner{keeping{counting{learner, trained, 0, nil}, learner}}}
			first, err := Sanitize(t.Context(), docs, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			trained.Store(0)
			second, err := Sanitize(t.Context(), docs, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := trained.Load(); n != 0 || !reflect.DeepEqual(outcomes(first), outcomes(second)) {
				t.Errorf("%s, %s: %d trainings the second time, or another result", learner.Name(), mode, n)
			}
			for _, d := range docs {
				a, b := first.Choices[0].Classifiers, second.Choices[0].Classifiers
				if !reflect.DeepEqual(a.Redact(d), b.Redact(d)) || !reflect.DeepEqual(a[0].Classifier.Scores(annotate.View{Note: &d, Redacted: nil}), b[0].Classifier.Scores(annotate.View{Note: &d, Redacted: nil})) {
					t.Fatalf("%s, %s: a classifier that was kept scores otherwise", learner.Name(), mode)
				}
			}
		}
	}
}

func TestDamagedCheckpointsAreAsGoodAsNone(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(96, 1)), 20)
	p := params(Default, 5)
	want, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(97, 1))
	for range 8 {
		kept := newShelf()
		p.Checkpoint = kept
		if _, err := Sanitize(t.Context(), docs, p, nil); err != nil {
			t.Fatal(err)
		}
		for key, value := range kept.values {
			switch value = append([]byte(nil), value...); r.IntN(3) {
			case 0:
				value[r.IntN(len(value))] ^= 1 << r.IntN(8)
			case 1:
				value = value[:r.IntN(len(value))]
			case 2:
				value = append(value, 0)
			}
			kept.values[key] = value
		}
		got, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("error %v, or another result", err)
		}
	}
}

func TestACheckpointOfOtherDocumentsIsOfNoUse(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(98, 1)), 20)
	kept := newShelf()
	p := params(Default, 5)
	p.Checkpoint = kept
	if _, err := Sanitize(t.Context(), docs, p, nil); err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(docs []annotate.Note, p *Params){
		"a word":           func(docs []annotate.Note, _ *Params) { docs[3].Words = append([]string{"w99"}, docs[3].Words[1:]...) },
		"a patient":        func(docs []annotate.Note, _ *Params) { docs[3].Group = "somebody" },
		"the seed":         func(_ []annotate.Note, p *Params) { p.Seed++ },
		"the folds":        func(_ []annotate.Note, p *Params) { p.Folds = 3 },
		"another learner":  func(_ []annotate.Note, p *Params) { p.Learners = []Learner{named{frequency{}, "other"}} },
		"another document": func(docs []annotate.Note, _ *Params) { docs[3] = text("g3", "*a b c") },
	}
	for name, change := range changes {
		other, q := append([]annotate.Note(nil), docs...), p
		change(other, &q)
		got, err := Sanitize(t.Context(), other, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Checkpoint = nil
		if want, _ := Sanitize(t.Context(), other, q, nil); !reflect.DeepEqual(got, want) {
			t.Errorf("%s changes, and the run is not that of the changed documents", name)
		}
	}
}

func TestAnExperimentResumes(t *testing.T) {
	docs, kept := random(rand.New(rand.NewPCG(99, 1)), 24), newShelf()
	want, err := Experiment(t.Context(), docs, Trial{Params: params("", 2, 10)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	trial := Trial{Params: params("", 2, 10)}
	trial.Checkpoint = kept
	for range 2 {
		got, err := Experiment(t.Context(), docs, trial, nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("error %v, or another result", err)
		}
	}
}

func TestACheckpointNeedsLearnersWithNamesOfTheirOwn(t *testing.T) {
	p := params(Default, 5)
	p.Learners = []Learner{frequency{}, frequency{weight: 2}}
	docs := random(rand.New(rand.NewPCG(94, 1)), 12)
	if _, err := Sanitize(t.Context(), docs, p, nil); err != nil {
		t.Fatal(err)
	}
	p.Checkpoint = newShelf()
	if _, err := Sanitize(t.Context(), docs, p, nil); err == nil {
		t.Error("learners of one name share a checkpoint")
	}
}

func TestACheckpointIsOfWhatIsKnownToo(t *testing.T) {
	prints := map[[32]byte]bool{}
	for _, known := range [][]string{nil, {"Ana"}, {"Ana", "7"}, {"Ana7"}} {
		d := text("g", "a b")
		d.Known = known
		prints[newKeeper(newShelf(), []annotate.Note{d}).docs] = true
	}
	d := text("g", "Ana a b")
	prints[newKeeper(newShelf(), []annotate.Note{d}).docs] = true
	if len(prints) != 5 {
		t.Errorf("%d keys for five lists of documents", len(prints))
	}
}

// Sampling goes by labels, so that a span with another label is trained on otherwise.
func TestACheckpointIsOfTheLabelsToo(t *testing.T) {
	d := text("g", "*a b")
	unlabelled := newKeeper(newShelf(), []annotate.Note{d}).docs
	d.Labels = []annotate.Label{"NAME", ""}
	name := newKeeper(newShelf(), []annotate.Note{d}).docs
	d.Labels = []annotate.Label{"DATE", ""}
	if date := newKeeper(newShelf(), []annotate.Note{d}).docs; name == unlabelled || date == name {
		t.Error("a checkpoint takes a document for the same with another label")
	}
}

// With few groups the folds of a cross-fit and the halves of an attacker may be dealt
// alike, and a learner that cross-fits by itself says other things than one that is
// trained fold by fold.
func TestACheckpointTellsApartTheWaysOfEqualFolds(t *testing.T) {
	docs := []annotate.Note{text("a", "*x y"), text("b", "*z y")}
	k, fold := newKeeper(newShelf(), docs), []int{0, 1}
	keys := map[[sha256.Size]byte]bool{}
	for _, by := range []origin{trainedOutside, trainedBefore, crossFitted} {
		keys[k.keys(trainee{Learner: frequency{}}, nothing(docs), by, fold)(0)] = true
	}
	if len(keys) != 3 {
		t.Errorf("%d keys for three ways", len(keys))
	}
}
