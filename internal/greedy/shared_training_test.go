// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hide/internal/crf"
)

// alone is a learner whose workshop is closed to labs.
type alone struct{ Learner }

func TestWorkshopsChangeNoFigure(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(3, 1)), 24)
	o := crf.Options{MaxIterations: 5, Workers: 1}
	for _, l := range []Learner{CRF{o}, Bayes{Options: o}} {
		var figures [2][]Choice
		for i, learner := range []Learner{l, alone{l}} {
			p := params(Default, 1, 5)
			p.Learners = []Learner{learner}
			result, err := Sanitize(t.Context(), docs, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range result.Choices {
				c.Classifiers = nil // hold scratch space
				figures[i] = append(figures[i], c)
			}
		}
		if !reflect.DeepEqual(figures[0], figures[1]) {
			t.Errorf("%s: other figures than without a workshop", l.Name())
		}
	}
}

func TestAWorkshopThatCannotOpenIsAnError(t *testing.T) {
	p := params(Default, 1, 5)
	p.Learners = []Learner{CRF{}, CRF{crf.Options{C2: -1}}}
	if _, err := Sanitize(t.Context(), random(rand.New(rand.NewPCG(3, 1)), 8), p, nil); err == nil || !strings.Contains(err.Error(), "crf") {
		t.Errorf("error %v", err)
	}
}

func TestLearnersTakeNoClassifierOfAnother(t *testing.T) {
	shop, err := CRF{}.Share()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := shop.Predict(t.Context(), byWord{}, nil); err == nil {
		t.Error("a classifier was taken that is no model")
	}
}
