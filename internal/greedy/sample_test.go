// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// sampleNotes are documents of n words with spans of two categories, some of whose
// words are redacted.
func sampleNotes(seed uint64, documents, n int) []annotate.View {
	r := rand.New(rand.NewPCG(seed, 8))
	views := make([]annotate.View, documents)
	for i := range views {
		d := &annotate.Note{Group: fmt.Sprint(i)}
		for x := 0; x < n; {
			size, label, span := 1, annotate.Label(""), -1
			if r.IntN(5) == 0 {
				size, label, span = 1+r.IntN(3), []annotate.Label{"NAME", "DATE"}[r.IntN(2)], x
			}
			for range size {
				d.Words, d.Sensitive = append(d.Words, fmt.Sprint("w", r.IntN(100))), append(d.Sensitive, span >= 0)
				d.SpanOf, d.Labels = append(d.SpanOf, span), append(d.Labels, label)
			}
			x += size
		}
		views[i] = annotate.View{Note: d, Redacted: make([]bool, len(d.Words))}
		for x := range d.Words {
			views[i].Redacted[x] = r.IntN(6) == 0
		}
	}
	return views
}

// A learner's sampling is that of the dissertation, of what remains and by category.
func TestSampleLeavesOutWhatTheSamplingOfCategoriesDoes(t *testing.T) {
	s := crf.Sampling{O: 0.5, Window: 2, Cost: map[annotate.Label]float64{"DATE": 0.3}, Seed: 5}
	for seed := range uint64(20) {
		views := sampleNotes(seed, 3, 40)
		before := sampleNotes(seed, 3, 40)
		for i, v := range Sample(views, s) {
			d := annotate.Note{}
			for x := range v.Words {
				d.Words, d.Sensitive = append(d.Words, v.Word(x)), append(d.Sensitive, v.Remaining(x))
				d.Labels, d.SpanOf = append(d.Labels, ""), append(d.SpanOf, -1)
				if v.Remaining(x) {
					d.Labels[x], d.SpanOf[x] = v.Labels[x], x
					if x > 0 && v.SpanOf[x] == v.SpanOf[x-1] && !v.Hidden(x-1) {
						d.SpanOf[x] = d.SpanOf[x-1]
					}
				}
			}
			if want := s.Skips(d.View()); !slices.Equal(v.Skip, want) {
				t.Fatalf("seed %d, document %d: skips %v, want %v", seed, i, v.Skip, want)
			}
		}
		if !reflect.DeepEqual(views, before) {
			t.Fatal("the views given have changed")
		}
	}
}

func TestSampleOfEverythingIsTheViewsThemselves(t *testing.T) {
	views := sampleNotes(1, 2, 10)
	if out := Sample(views, crf.Sampling{Seed: 3}); &out[0] != &views[0] {
		t.Error("they were copied")
	}
}

func TestSampleLeavesNoKindWithoutATokenThatTrainingSees(t *testing.T) {
	none := map[string]crf.Sampling{
		"other":     {O: 1e-12},
		"sensitive": {Cost: map[annotate.Label]float64{"NAME": 1e-9, "DATE": 1e-9, "": 1}},
	}
	for kind, s := range none {
		views := sampleNotes(2, 4, 20)
		views[0].Skip = make([]bool, len(views[0].Words)) // one word of each kind is left out already
		out := map[bool]bool{}
		for x := range views[0].Words {
			if sensitive := views[0].Remaining(x); !views[0].Hidden(x) && !out[sensitive] {
				out[sensitive], views[0].Skip[x] = true, true
			}
		}
		for i, v := range Sample(views, s) {
			for x := range v.Words {
				whole := v.Remaining(x) == (kind == "sensitive") && !v.Hidden(x)
				if whole && v.Skipped(x) != views[i].Skipped(x) {
					t.Errorf("%s: document %d, word %d: skipped %v", kind, i, x, v.Skipped(x))
				}
			}
		}
	}
}
