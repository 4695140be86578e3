// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"math/rand/v2"
	"regexp"
	"testing"

	"hide/internal/annotate"
)

// clumsy is a learner that panics with what it has in hand.
type clumsy struct{}

func (clumsy) Name() string { return "clumsy" }

func (clumsy) Train(_ context.Context, all []annotate.View) (Classifier, error) {
	panic(all[0].Words[0])
}

func TestPanicOfALearnerIsAnErrorWithoutItsValue(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(31, 1)), 12)
	only := regexp.MustCompile(`^sanitize with L/C 10: panic at pool_test\.go:\d+: a value of type string$`)
	for _, mode := range []Mode{Paper, PaperHoldout, GreedyUnion, Default, Cost} {
		p := params(mode, 10)
		p.Learners = []Learner{clumsy{}}
		if _, err := Sanitize(t.Context(), docs, p, nil); err == nil || !only.MatchString(err.Error()) {
			t.Errorf("%s: error is %v", mode, err)
		}
	}
	p := params(Default, 10)
	p.Learners = []Learner{clumsy{}}
	if _, err := Experiment(t.Context(), docs, Trial{Params: p}, nil); err == nil || !regexp.MustCompile(`: panic at pool_test\.go:\d+: a value of type string$`).MatchString(err.Error()) {
		t.Errorf("experiment: error is %v", err)
	}
}

func TestPanicDoesNotKeepItsPlaceInThePool(t *testing.T) {
	p := newPool(1)
	if err := p.each(t.Context(), 3, func(context.Context, int) error { panic("no") }); err == nil {
		t.Error("no error")
	}
	ran := 0
	if err := p.each(t.Context(), 3, func(context.Context, int) error { ran++; return nil }); err != nil || ran != 3 {
		t.Errorf("ran %d: %v", ran, err)
	}
}
