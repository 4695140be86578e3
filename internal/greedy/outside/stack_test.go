// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/blend"
)

// fixed is a learner of a fixed tagger; it remembers what it was trained on.
type fixed struct {
	table
	name    string
	trained *[][]string // groups of each training
}

func (f fixed) Name() string { return f.name }

func (f fixed) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	if f.trained != nil {
		var groups []string
		for _, v := range views {
			groups = append(groups, v.Group)
		}
		*f.trained = append(*f.trained, groups)
	}
	return f.table, ctx.Err()
}

// CrossFit makes it a detector.
func (f fixed) CrossFit(_ context.Context, views []annotate.View, _ []int, _ int) ([][]float64, [][]bool, greedy.Classifier, error) {
	scores, hard := make([][]float64, len(views)), make([][]bool, len(views))
	for i, v := range views {
		scores[i], hard[i] = f.Scores(v), f.Hard(v)
	}
	return scores, hard, f.table, nil
}

// grouped gives each note a group of its own.
func grouped(views []annotate.View) []annotate.View {
	for i := range views {
		views[i].Note.Group = fmt.Sprint("g", i)
	}
	return views
}

func logLoss(views []annotate.View, scores [][]float64) (sum float64) {
	for i, v := range views {
		for x, p := range scores[i] {
			if !v.Sensitive[x] {
				p = 1 - p
			}
			sum -= math.Log(p)
		}
	}
	return sum
}

func foldsOf(n int) []int {
	fold := make([]int, n)
	for i := range fold {
		fold[i] = i % 3
	}
	return fold
}

func TestAStackIsBetterThanItsPartsAndNoWorseThanTheDetector(t *testing.T) {
	truth := map[string]float64{"a": 0.02, "b": 0.3, "c": 0.6, "d": 0.97}
	views := grouped(drawn(11, 60, 100, truth))
	detector := fixed{table{"a": 0.1, "b": 0.4, "c": 0.4, "d": 0.9}, "detector", nil} // cannot tell b from c
	for name, k := range map[string]struct {
		more  table
		gains bool
	}{
		"a tagger that knows c":  {table{"a": 0, "b": 0, "c": 1, "d": 1}, true},
		"one that knows nothing": {table{"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.5}, false},
	} {
		s := Stack{Base: detector, More: []greedy.Learner{fixed{k.more, "more", nil}}}
		scores, hard, h, err := s.CrossFit(t.Context(), views, foldsOf(60), 3)
		if err != nil {
			t.Fatal(err)
		}
		alone, _, _, _ := detector.CrossFit(t.Context(), views, nil, 3)
		got, before := logLoss(views, scores), logLoss(views, alone)
		if k.gains && got > 0.95*before || got > before {
			t.Errorf("%s: log loss %g, of the detector %g", name, got, before)
		}
		for x, p := range h.Scores(views[0]) {
			if want := truth[views[0].Words[x]]; k.gains && math.Abs(p-want) > 0.06 {
				t.Fatalf("%q has %g, want %g", views[0].Words[x], p, want)
			}
			if hard[0][x] != (scores[0][x] >= 0.5) {
				t.Fatal("labels are not those of the scores")
			}
		}
	}
}

// No score of a fold depends on the labels of the fold.
func TestScoresOfAFoldDoNotReadItsLabels(t *testing.T) {
	views := grouped(drawn(12, 12, 60, map[string]float64{"a": 0.1, "b": 0.7}))
	var trained [][]string
	s := Stack{Base: fixed{table{"a": 0.2, "b": 0.6}, "detector", nil}, More: []greedy.Learner{fixed{table{"b": 1}, "more", &trained}}}
	fold := foldsOf(12)
	before, _, _, err := s.CrossFit(t.Context(), views, fold, 3)
	if err != nil {
		t.Fatal(err)
	}
	for f, groups := range trained[:3] {
		for i := range views {
			if slices.Contains(groups, views[i].Group) == (fold[i] == f) {
				t.Errorf("fold %d was trained on %v", f, groups)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range views {
		for x := range views[i].Words {
			if fold[i] == 1 {
				views[i].Sensitive[x] = r.IntN(2) == 0
			}
		}
	}
	after, _, _, err := s.CrossFit(t.Context(), views, fold, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range views {
		if same := slices.Equal(before[i], after[i]); fold[i] == 1 && !same {
			t.Fatalf("note %d of the fold has other scores", i)
		}
	}
}

func TestTheBlendIsTheOptimum(t *testing.T) {
	views := drawn(13, 20, 50, map[string]float64{"a": 0.1, "b": 0.4, "c": 0.8})
	said := [][][]float64{}
	for _, tagger := range []table{{"a": 0.3, "b": 0.3, "c": 0.7}, {"a": 0.2, "b": 0.6, "c": 0.5}} {
		scores := make([][]float64, len(views))
		for i, v := range views {
			scores[i] = tagger.Scores(v)
		}
		said = append(said, scores)
	}
	loss := func(w blend.Weights) float64 {
		sum := ((w[0]-1)*(w[0]-1) + w[1]*w[1]) / 2
		for i, v := range views {
			for x, p := range blended(w, v, of(said, i)) {
				if !v.Sensitive[x] {
					p = 1 - p
				}
				sum -= math.Log(p)
			}
		}
		return sum
	}
	w := fitBlend(views, said, func(int) bool { return true })
	best := loss(w)
	for k := range w {
		for _, step := range []float64{-0.02, 0.02} {
			other := slices.Clone(w)
			if other[k] += step; loss(other) < best {
				t.Errorf("weights %v lose %g, %v less", w, best, other)
			}
		}
	}
}

func TestWithOneGroupTheDetectorDecidesAlone(t *testing.T) {
	views := drawn(14, 3, 20, map[string]float64{"a": 0.1, "b": 0.9})
	detector := fixed{table{"a": 0.2, "b": 0.6}, "detector", nil}
	h, err := Stack{Base: detector, More: []greedy.Learner{fixed{table{}, "more", nil}}}.Train(t.Context(), views)
	if _, alone := h.(table); err != nil || !alone {
		t.Errorf("%T, %v", h, err)
	}
}

func TestHiddenTokensHaveNoScore(t *testing.T) {
	views := grouped(drawn(15, 8, 30, map[string]float64{"a": 0.1, "b": 0.9}))
	h, err := Stack{Base: fixed{table{"a": 0.2, "b": 0.6}, "detector", nil}, More: []greedy.Learner{fixed{table{"b": 1}, "more", nil}}}.Train(t.Context(), views)
	if err != nil {
		t.Fatal(err)
	}
	v := views[0]
	v.Redacted = make([]bool, 30)
	v.Redacted[4] = true
	for x, p := range h.Scores(v) {
		if (p == 0) != (x == 4) {
			t.Errorf("token %d has %g", x, p)
		}
	}
}
