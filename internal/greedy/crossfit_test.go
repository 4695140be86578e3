// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"hide/internal/annotate"
)

// thrifty cross-fits [fixed] by itself and counts how it is asked.
type thrifty struct {
	fixed
	trained, fitted *int
}

func (l thrifty) Train(ctx context.Context, views []annotate.View) (Classifier, error) {
	*l.trained++
	return l.fixed.Train(ctx, views)
}

func (l thrifty) CrossFit(ctx context.Context, views []annotate.View, fold []int, folds int) ([][]float64, [][]bool, Classifier, error) {
	*l.fitted++
	h, err := l.fixed.Train(ctx, views)
	scores, hard := make([][]float64, len(views)), make([][]bool, len(views))
	for i, v := range views {
		scores[i], hard[i] = h.Scores(v), h.Hard(v)
	}
	return scores, hard, h, err
}

func TestALearnerThatCrossFitsIsAskedOnce(t *testing.T) {
	r, scores := rand.New(rand.NewPCG(57, 1)), fixed{}
	docs := random(r, 12)
	for _, d := range docs {
		for _, w := range d.Words {
			scores[w] = r.Float64()
		}
	}
	l := thrifty{scores, new(int), new(int)}
	p := params(Default, 2).withDefaults()
	p.Learners = []Learner{l}
	lab := newLab(docs, p, newPool(1))
	masks := nothing(docs)
	s, err := lab.outOfFold(t.Context(), 0, masks)
	if err != nil {
		t.Fatal(err)
	}
	h, err := lab.classifier(t.Context(), 0, masks)
	if err != nil {
		t.Fatal(err)
	}
	if *l.trained != 0 || *l.fitted != 1 {
		t.Errorf("trained %d times and cross-fitted %d times", *l.trained, *l.fitted)
	}
	for i := range docs {
		if v := (annotate.View{Note: &docs[i], Redacted: masks[i]}); !reflect.DeepEqual(h.Scores(v), s.scores[i]) {
			t.Errorf("document %d: scores %v and %v", i, h.Scores(v), s.scores[i])
		}
	}
}

// shifted adds to a batch's scores how many documents it has.
type shifted struct{ Classifier }

func (shifted) ScoreAll(views []annotate.View) [][]float64 {
	out := make([][]float64, len(views))
	for i := range out {
		out[i] = []float64{float64(len(views))}
	}
	return out
}

func TestDocumentsAreScoredTogetherWhereThatCounts(t *testing.T) {
	docs := []annotate.Note{{Words: []string{"a"}}, {Words: []string{"b"}}}
	all := views(docs, nothing(docs))
	if got := ScoreAll(always(true), all); !reflect.DeepEqual(got, [][]float64{{1}, {1}}) {
		t.Errorf("one by one: %v", got)
	}
	if got := ScoreAll(shifted{always(true)}, all); !reflect.DeepEqual(got, [][]float64{{2}, {2}}) {
		t.Errorf("together: %v", got)
	}
}
