// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
)

// quick keeps trainings short.
var quick = crf.Options{MaxIterations: 20, Workers: 1}

// stretches are notes of which words 6 to 13 are left out of training. With lie,
// words 6 to 11 have the other label: no word that training sees stands after one of
// them, nor after the next.
func stretches(n int, lie bool) []annotate.View {
	views := notes(n)
	for i, v := range views {
		d := *v.Note
		d.Sensitive, d.SpanOf = slices.Clone(d.Sensitive), slices.Clone(d.SpanOf)
		skip := make([]bool, len(d.Words))
		for x := 6; x < 14; x++ {
			skip[x] = true
			if lie && x < 12 {
				d.Sensitive[x], d.SpanOf[x] = !d.Sensitive[x], -1
				if d.Sensitive[x] {
					d.SpanOf[x] = 100 + x
				}
			}
		}
		views[i] = annotate.View{Note: &d, Skip: skip}
	}
	return views
}

func trained(t *testing.T, name string, o Options, views []annotate.View) [][]float64 {
	t.Helper()
	l, err := New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.Train(t.Context(), views)
	if err != nil {
		t.Fatal(err)
	}
	return greedy.ScoreAll(h, notes(4))
}

// What a learner is not to see has no say: the labels of words that are left out can
// be anything.
func TestNoLearnerSeesTheLabelsOfWordsThatAreLeftOut(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			told, lied := trained(t, name, Options{CRF: quick}, stretches(16, false)), trained(t, name, Options{CRF: quick}, stretches(16, true))
			for i := range told {
				if !slices.Equal(told[i], lied[i]) {
					t.Fatalf("document %d: %v and %v", i, told[i], lied[i])
				}
			}
		})
	}
}

// labelledNotes are notes with categories.
func labelledNotes(n int) []annotate.View {
	views, r := notes(n), rand.New(rand.NewPCG(4, 4))
	for _, v := range views {
		v.Labels = make([]annotate.Label, len(v.Words))
		for x, s := range v.Sensitive {
			if s {
				v.Labels[x] = []annotate.Label{"PATIENT", "DOCTOR"}[r.IntN(2)]
			}
		}
	}
	return views
}

// The option and the views that [greedy.Sample] gives are the same thing for every
// learner; sampling changes what it says, and it scores every word all the same.
func TestEveryLearnerHasSamplingAsAnOption(t *testing.T) {
	s, err := crf.ParseSampling("o=0.3+window=4+cost=DOCTOR:0.5+seed=3")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{CRF: quick}
	sampled := o
	sampled.CRF.Sampling = s
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			views := labelledNotes(16)
			all, option, again := trained(t, name, o, views), trained(t, name, sampled, views), trained(t, name, sampled, views)
			same := true
			for i, d := range notes(4) {
				if len(option[i]) != len(d.Words) {
					t.Errorf("%d scores of %d words", len(option[i]), len(d.Words))
				}
				same = same && slices.Equal(all[i], option[i])
			}
			if same {
				t.Error("sampling changes nothing")
			}
			if fmt.Sprint(option) != fmt.Sprint(again) {
				t.Error("two trainings differ")
			}
			if name == "selection" {
				return // it chooses by words that its learners do not see, if nobody but they sample
			}
			if by := trained(t, name, o, greedy.Sample(views, s)); fmt.Sprint(option) != fmt.Sprint(by) {
				t.Error("the option and the sampled views differ")
			}
		})
	}
}
