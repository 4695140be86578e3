// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// trainedOn counts how often each token of each note is trained on.
func trainedOn(views, copies []annotate.View) [][]int {
	at := map[*annotate.Note]int{}
	counts := make([][]int, len(views))
	for i, v := range views {
		at[v.Note], counts[i] = i, make([]int, len(v.Words))
	}
	for _, v := range copies {
		for x := range v.Words {
			if !v.Skipped(x) {
				counts[at[v.Note]][x]++
			}
		}
	}
	return counts
}

func TestAWholeWeightRepeatsSpansAndKeepsOtherTokensOnce(t *testing.T) {
	for _, w := range []int{2, 3, 7, 16} {
		views := sampleNotes(uint64(w), 4, 60)
		views[1].Skip = make([]bool, len(views[1].Words))
		views[1].Skip[3], views[1].Skip[30] = true, true
		light := Weigh(views, 1/float64(w), 1)
		for i, counts := range trainedOn(views, Weigh(views, float64(w), 1)) {
			inverse := trainedOn(views, light)[i]
			for x, n := range counts {
				want, less := 1, w
				if views[i].Remaining(x) {
					want, less = w, 1
				}
				if views[i].Skipped(x) {
					want, less = 0, 0
				}
				if n != want || inverse[x] != less {
					t.Fatalf("weight %d, token %d of note %d: %d and %d times, want %d and %d", w, x, i, n, inverse[x], want, less)
				}
			}
		}
	}
}

func TestWeightsAreRatiosOfTrainedTokens(t *testing.T) {
	views := sampleNotes(9, 60, 200)
	for _, w := range []float64{0.01, 0.3, 0.7, 1, 1.5, 4.25, 50} {
		counts := trainedOn(views, Weigh(views, w, 3))
		var left, other, lefts, others float64
		for i, v := range views {
			for x, n := range counts[i] {
				if v.Remaining(x) {
					left, lefts = left+float64(n), lefts+1
				} else {
					other, others = other+float64(n), others+1
				}
			}
		}
		if got := left / lefts / (other / others); math.Abs(math.Log(got/w)) > 0.15 {
			t.Errorf("weight %g: %g", w, got)
		}
	}
}

func TestNoSpanIsCutByAWeight(t *testing.T) {
	views := sampleNotes(2, 10, 80)
	for _, w := range []float64{0.2, 2.5} {
		for _, v := range Weigh(views, w, 1) {
			for x := 1; x < len(v.Words); x++ {
				if v.Remaining(x) && v.Remaining(x-1) && v.SpanOf[x] == v.SpanOf[x-1] && v.Skip[x] != v.Skip[x-1] {
					t.Fatalf("weight %g cuts a span", w)
				}
			}
		}
	}
}

// ambiguous are notes in which one word is a name in a quarter of the notes, and nothing
// around it tells when.
func ambiguous(n int) []annotate.Note {
	var docs []annotate.Note
	for i := range n {
		a := annotate.Annotated{Document: annotate.Document{Name: fmt.Sprint(i), Text: "we saw May again"}}
		if i%4 == 0 {
			a.Spans = []annotate.Span{{Start: 7, End: 10, Label: "NAME"}}
		}
		docs = append(docs, annotate.NewNote(a))
	}
	return docs
}

// With odds of 1 to 3 a weight of 9 makes odds of 3.
func TestTheCRFWeighsSensitiveTokens(t *testing.T) {
	docs := ambiguous(80)
	for weight, want := range map[float64]float64{1: 0.25, 9: 0.75, 1.0 / 3: 0.1} {
		h, err := CRF{Options: crf.Options{C2: 1e-3}}.Weighted(weight).Train(t.Context(), views(docs, nothing(docs)))
		if err != nil {
			t.Fatal(err)
		}
		v := docs[1].View()
		if got := h.Scores(v)[2]; math.Abs(got-want) > 0.08 || slices.Contains(h.Hard(v), true) != (weight == 9) {
			t.Errorf("weight %g: %g, want %g", weight, got, want)
		}
	}
}
