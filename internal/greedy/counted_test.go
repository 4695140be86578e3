// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
)

// TestChosenDocumentsAreLearntFromAndNotCounted: whatever is left of chosen
// documents, every figure is that of the others.
func TestChosenDocumentsAreLearntFromAndNotCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	docs, picked := random(r, 24), 0
	for i := range docs {
		if i%3 == 0 {
			docs[i].Selected, picked = true, picked+1
		}
	}
	tokens, sensitive := 0, 0
	for _, d := range docs {
		if !d.Selected {
			tokens += len(d.Words)
			for _, s := range d.Sensitive {
				if s {
					sensitive++
				}
			}
		}
	}
	seen := 0
	learner := frequency{onTrain: func(all []annotate.View) { seen = max(seen, len(all)) }}
	for _, mode := range []Mode{Paper, Default, Cost} {
		result, err := Sanitize(t.Context(), docs, Params{Mode: mode, LC: []float64{1, 10}, Learners: []Learner{learner}, Workers: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range result.Choices {
			outcomes := []Outcome{c.Outcome}
			if c.Outcome.HeldOut != nil {
				outcomes = append(outcomes, *c.Outcome.HeldOut)
			}
			for _, o := range outcomes {
				if o.Documents != 24-picked || o.Tokens != tokens || o.Sensitive != sensitive {
					t.Errorf("%s: figures of %d documents, %d tokens, %d sensitive; want %d, %d, %d", mode, o.Documents, o.Tokens, o.Sensitive, 24-picked, tokens, sensitive)
				}
				if all := o.Attack.Ranked[1000]; (mode != Paper || o.HeldOut == nil) && all.Value != o.Residual.Value {
					t.Errorf("%s: an attacker who reads everything finds %g of %g left", mode, all.Value, o.Residual.Value)
				}
			}
		}
	}
	if seen != len(docs) {
		t.Errorf("the largest training had %d of %d documents", seen, len(docs))
	}
}

func TestSanitizeRefusesChosenDocumentsAlone(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(4, 4)), 8)
	for i := range docs {
		docs[i].Selected = true
	}
	if _, err := Sanitize(t.Context(), docs, Params{LC: []float64{1}, Learners: []Learner{frequency{}}}, nil); !errors.Is(err, ErrAllChosen) {
		t.Errorf("%v", err)
	}
}

// TestCountingChosenDocumentsMisleads plays active learning: of 300 documents 40
// are sampled at random and the 60 that hold most of what is hard are selected. Counted
// from all 100, what the source leaks is overestimated; from the 40 it is not.
func TestCountingChosenDocumentsMisleads(t *testing.T) {
	from := clumped{rand.New(rand.NewPCG(6, 6)), .01, .1, .02}
	naive, honest, truth := 0.0, 0.0, 0.0
	random, all := newResampler(40, 1, false), newResampler(100, 1, false)
	for range 100 {
		sensitive, left := from.documents(300)
		order := make([]int, 260)
		for i := range order {
			order[i] = 40 + i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(left[b], left[a]) })
		var docs []annotate.Note
		var masks [][]bool
		for i := range 100 {
			at := i
			if i >= 40 {
				at = order[i-40]
			}
			d, mask := leaking(int(sensitive[at]), int(left[at]))
			d.Selected = i >= 40
			d.Group = string(rune('a' + i))
			docs, masks = append(docs, d), append(masks, mask)
		}
		group, n := countedGroups(docs)
		honest += newTally(docs, masks, group, n, tariff{}).outcome(1, 1, random, nil, nil).Residual.Value / 40
		group, n = groups(docs)
		naive += newTally(docs, masks, group, n, tariff{}).outcome(1, 1, all, nil, nil).Residual.Value / 100
		truth += total(left) / 300
	}
	if honest < 0.8*truth || honest > 1.2*truth {
		t.Errorf("the random documents leak %.2f times what all do", honest/truth)
	}
	if naive < 1.8*truth {
		t.Errorf("the picked documents leak only %.2f times what all do: this test shows nothing", naive/truth)
	}
}

// leaking is a document of one-word spans of which a mask leaves some.
func leaking(sensitive, left int) (annotate.Note, []bool) {
	d := annotate.Note{Words: make([]string, sensitive), Sensitive: make([]bool, sensitive), SpanOf: make([]int, sensitive)}
	mask := make([]bool, sensitive)
	for i := range sensitive {
		d.Sensitive[i], d.SpanOf[i], mask[i] = true, i, i >= left
	}
	return d, mask
}
