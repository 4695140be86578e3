// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"context"
	"reflect"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// counting counts trainings by how many documents they are on.
type counting struct {
	stubborn
	times map[int]int
}

func (c counting) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	c.times[len(views)]++
	return c.stubborn.Train(ctx, views)
}

func TestAPanelDoesWhatRunDoesAndLearnsElsewhereOnce(t *testing.T) {
	views, other := notes(12), []annotate.View{text("x", "*N1 w"), text("y", "w *N2"), text("z", "w w")}
	redacted := make([]annotate.View, len(views))
	for i, v := range views {
		redacted[i] = annotate.View{Note: v.Note, Redacted: make([]bool, len(v.Words))}
	}
	learner := counting{stubborn{"names", "N", 1}, map[int]int{}}
	p := Params{Kinds: []Kind{Stacked, Transfer, Repeat}, Learners: []greedy.Learner{learner}, Other: other, Workers: 1}
	panel := NewPanel(p)
	for _, shown := range [][]annotate.View{views, redacted, views} {
		got, err := panel.Attack(t.Context(), shown)
		if err != nil {
			t.Fatal(err)
		}
		alone := p
		alone.Learners = []greedy.Learner{learner.stubborn}
		if want := run(t, shown, alone); !reflect.DeepEqual(got, want) {
			t.Errorf("the panel finds %+v, each by itself %+v", got, want)
		}
	}
	if learner.times[len(other)] != 1 || learner.times[6] != 4 {
		t.Errorf("trainings by documents: %v, want one elsewhere, and two for each of two publications", learner.times)
	}
}

func TestAPanelOfNobodyFindsNothing(t *testing.T) {
	if r, err := NewPanel(Params{}).Attack(t.Context(), notes(4)); r != nil || err != nil {
		t.Errorf("%v, %v", r, err)
	}
}

func TestDocumentsThatWerePickedAreLearntFromAndNotCounted(t *testing.T) {
	picked, drawn := text("a", "*N1 w *N2"), text("b", "*N3 w w")
	picked.Selected = true
	for _, r := range run(t, []annotate.View{picked, drawn}, Params{Kinds: []Kind{Uniform, Ranked, Classifier, Dictionary}, Learners: []greedy.Learner{stubborn{"names", "N", 1}}, Budgets: []int{10}}) {
		if r.Tokens != 3 || r.Sensitive != 1 || r.Points[0].Found != 1 || r.Points[0].Documents != 1 || r.Documents > 1 || r.Marked.TP > 1 {
			t.Errorf("%s: %+v", r.Kind, r)
		}
	}
}
