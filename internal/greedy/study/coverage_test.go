// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// capitals is a learner that always marks capitalised words.
type capitals struct{}

func (capitals) Name() string { return "capitals" }

func (capitals) Train(ctx context.Context, _ []annotate.View) (greedy.Classifier, error) {
	return capitals{}, ctx.Err()
}

func (capitals) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for x := range out {
		if w := v.Word(x); w[0] >= 'A' && w[0] <= 'Z' {
			out[x] = .9
		}
	}
	return out
}

func (c capitals) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for x, p := range c.Scores(v) {
		out[x] = p > .5
	}
	return out
}

// notes have names, of which one in ten is in lower case.
func notes(n int) []annotate.Note {
	r := rand.New(rand.NewPCG(11, 1))
	docs := make([]annotate.Note, n)
	for i := range docs {
		docs[i].Group = fmt.Sprint(i)
		for range 40 {
			word, span := "w", -1
			if r.IntN(4) == 0 {
				word, span = []string{"Ada", "Ada", "Ada", "Ada", "Ada", "Ada", "Ada", "Ada", "Ada", "ada"}[r.IntN(10)], len(docs[i].Words)
			}
			docs[i].Words, docs[i].SpanOf = append(docs[i].Words, word), append(docs[i].SpanOf, span)
			docs[i].Sensitive = append(docs[i].Sensitive, span >= 0)
		}
	}
	return docs
}

func TestDrawsOfLikeDocumentsAreCovered(t *testing.T) {
	docs, p := notes(80), greedy.Params{Mode: greedy.Cost, LC: []float64{1, 3}, Seed: 1, Learners: []greedy.Learner{capitals{}}}
	var draws [][]Drawn
	for k := range 40 {
		d, err := Draw(t.Context(), docs, p, uint64(k))
		if err != nil {
			t.Fatal(err)
		}
		draws = append(draws, d)
	}
	for _, c := range Cover(draws) {
		if c.Draws != 40 || c.Covered < 36 || c.AtMost < 38 || c.Missed < 20 || c.Expected < .9*c.Missed || c.Expected > 1.1*c.Missed {
			t.Errorf("%+v", c)
		}
	}
	again, err := Draw(t.Context(), docs, p, 7)
	if err != nil || !reflect.DeepEqual(again, draws[7]) {
		t.Errorf("error %v; the same draw twice differs", err)
	}
	if reflect.DeepEqual(draws[0], draws[1]) {
		t.Error("two draws are the same")
	}
}

func TestCoverCounts(t *testing.T) {
	of := func(left, low, high, most float64) []Drawn {
		return []Drawn{{LC: 10, Missed: left, Measured: left + 2, Expected: greedy.Estimate{Value: 5, Low: low, High: high, AtMost: most}}}
	}
	got := Cover([][]Drawn{of(5, 2, 8, 7), of(8, 2, 8, 7), of(9, 2, 8, 10), of(2, 3, 7, 7)})[0]
	want := Coverage{LC: 10, Draws: 4, Expected: 5, Width: 5.5, Held: Held{2, 3, 6}, Measured: Held{2, 2, 8}}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSmallerPlansLearnFromSomeOfTheSameDocuments(t *testing.T) {
	docs := notes(20)
	plan := Folds(docs, nil, 4, 1)
	half, quarter := plan.Fewer(.5, 1), plan.Fewer(.25, 1)
	for f := range plan.Parts {
		if len(half.Parts[f].Learn) != 8 || len(quarter.Parts[f].Learn) != 4 || !reflect.DeepEqual(half.Parts[f].Score, plan.Parts[f].Score) {
			t.Fatalf("part %d: %d and %d documents", f, len(half.Parts[f].Learn), len(quarter.Parts[f].Learn))
		}
		known := map[string]bool{}
		for _, d := range half.Parts[f].Learn {
			known[d.Group] = true
		}
		for _, d := range quarter.Parts[f].Learn {
			if !known[d.Group] {
				t.Errorf("part %d: the quarter is not of the half", f)
			}
		}
	}
	if whole := plan.Fewer(1, 1); !reflect.DeepEqual(whole, plan) {
		t.Error("all is not all")
	}
	scores, err := Score(t.Context(), quarter, capitals{}, 2)
	if err != nil || len(scores) != 20 || len(scores[3]) != 40 {
		t.Errorf("error %v, %d documents scored", err, len(scores))
	}
}
