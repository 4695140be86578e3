// SPDX-License-Identifier: Apache-2.0

package study

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hide/internal/annotate"
)

// random makes documents, two to a patient, with scores of few values, so that
// many are equal.
func random(r *rand.Rand) ([]annotate.Note, [][]float64) {
	docs := make([]annotate.Note, 1+r.IntN(6))
	scores := make([][]float64, len(docs))
	for i := range docs {
		docs[i].Group = fmt.Sprint(i / 2)
		for range r.IntN(9) {
			span := -1
			if r.IntN(3) == 0 {
				span = r.IntN(2)
			}
			docs[i].Words = append(docs[i].Words, []string{"Ada", "de"}[r.IntN(2)])
			docs[i].SpanOf, docs[i].Sensitive = append(docs[i].SpanOf, span), append(docs[i].Sensitive, span >= 0)
			scores[i] = append(scores[i], float64(r.IntN(5))/4)
		}
	}
	return docs, scores
}

// best tries every threshold and counts with loops alone: the fewest sensitive
// tokens left when no more than lost of the others go.
func best(docs []annotate.Note, scores [][]float64, share float64) (left int) {
	left = math.MaxInt
	for _, above := range []float64{-1, 0, .25, .5, .75, 1} {
		stay, kept, others := 0, 0, 0
		for i, d := range docs {
			for x := range d.Words {
				redacted := scores[i][x] > above
				if d.Sensitive[x] && !redacted {
					stay++
				}
				if !d.Sensitive[x] {
					others++
					if !redacted {
						kept++
					}
				}
			}
		}
		if float64(kept) >= share*float64(others) {
			left = min(left, stay)
		}
	}
	return left
}

func TestFrontierLeavesAsFewAsTheBestThresholdDoes(t *testing.T) {
	r, shares := rand.New(rand.NewPCG(7, 1)), []float64{0, .5, .75, .9, 1}
	for round := range 2000 {
		docs, scores := random(r)
		f := NewFrontier(docs, scores, shares)
		for k, p := range f.Points {
			if want := best(docs, scores, shares[k]); p.Missed != want {
				t.Fatalf("case %d, kept %g: %d left, want %d", round, p.Kept, p.Missed, want)
			}
			byGroup := 0.0
			for _, n := range f.Missed[k] {
				byGroup += n
			}
			if int(byGroup) != p.Missed || p.Informative > p.Missed || p.Spans > p.Missed || p.Documents > p.Spans {
				t.Fatalf("case %d: %+v, by group %g", round, p, byGroup)
			}
		}
	}
}

func TestFrontierCountsWhatIsLeft(t *testing.T) {
	docs := []annotate.Note{
		{Words: []string{"Ada", "de", "Lee", "is", "well"}, Sensitive: []bool{true, true, true, false, false}, SpanOf: []int{0, 0, 1, -1, -1}},
		{Words: []string{"She", "saw", "Ben"}, Sensitive: []bool{false, false, true}, SpanOf: []int{-1, -1, 0}},
	}
	scores := [][]float64{{.9, .2, .3, .1, .1}, {.6, .1, .7}}
	want := []Point{
		{Kept: 1, Above: .6, Missed: 2, Informative: 1, Spans: 2, Documents: 1},
		{Kept: .75, Above: .1, OverRedacted: 1},
	}
	for k, p := range NewFrontier(docs, scores, []float64{1, .75}).Points {
		if p != want[k] {
			t.Errorf("got %+v, want %+v", p, want[k])
		}
	}
}

func TestDifferencesArePairedByPatient(t *testing.T) {
	one := &Frontier{Points: []Point{{Missed: 6}}, Missed: [][]float64{{3, 1, 2}}}
	two := &Frontier{Points: []Point{{Missed: 12}}, Missed: [][]float64{{4, 1, 7}}}
	d := one.Against(two)[0]
	// differences -1, 0, -5: mean -2, variance (1+4+9)/2 = 7
	if d.More != -6 || math.Abs(d.Error-math.Sqrt(21)) > 1e-12 || d.Ratio != .5 {
		t.Errorf("got %+v", d)
	}
	if same := one.Against(one)[0]; same.More != 0 || same.Error != 0 || same.Ratio != 1 {
		t.Errorf("against itself: %+v", same)
	}
}

func TestDifferenceWithOneDocumentHasNoError(t *testing.T) {
	one := &Frontier{Points: []Point{{}}, Missed: [][]float64{{0}}}
	if d := one.Against(one)[0]; !math.IsNaN(d.Error) || !math.IsNaN(d.Ratio) {
		t.Errorf("got %+v", d)
	}
}

func TestFrontierOfNothingToKeepIsJSON(t *testing.T) {
	docs := []annotate.Note{{Words: []string{"Ana"}, Sensitive: []bool{true}, SpanOf: []int{0}}}
	f := NewFrontier(docs, [][]float64{{0.2}}, []float64{0.99})
	if _, err := json.Marshal(f); err != nil || f.Points[0].Missed != 0 {
		t.Errorf("%d left, error %v", f.Points[0].Missed, err)
	}
}
