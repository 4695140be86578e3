// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"errors"
	"fmt"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
	"hide/internal/store"
)

// mayors are notes in which "mayor" stands beside "Weiss" and nowhere else.
func mayors(n int) []annotate.Annotated {
	docs := projecttest.Notes(n)
	for i := range docs {
		var b projecttest.Markup
		if i%2 == 0 {
			b.Text("The mayor ").Span("Weiss", "DOCTOR").Text(" came for fever.\n")
		} else {
			b.Text("A baker ").Span(fmt.Sprint("Gruber", i), "PATIENT").Text(" came for fever.\n")
		}
		docs[i].Text, docs[i].Spans = b.String(), b.Spans
	}
	return docs
}

func TestARunListsOrRedactsWordsThatGiveIdentifiersAway(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(mayors(12))
	for _, redact := range []bool{false, true} {
		number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2, First: sanitize.NoFirst, Context: &greedy.Context{MinLift: 1.5, Redact: redact}})
		if err != nil {
			t.Fatal(err)
		}
		r := b.FinishedRun(id, number)
		if len(r.Context) == 0 || r.Context[0].Word != "mayor" || r.Context[0].Identifier != "weiss" || r.Context[0].Label != "DOCTOR" || r.Context[0].Support != 6 || r.ContextFound != len(r.Context) {
			t.Errorf("redact %v: %+v", redact, r.Context)
		}
		if c := r.Params.Context; c == nil || c.MinLift != 1.5 || c.Redact != redact {
			t.Errorf("the run forgets what it was asked: %+v", c)
		}
		counted := false
		for _, c := range r.Choices[0].Outcome.ByLabel {
			counted = counted || c.Label == greedy.ContextLabel && c.Spans == 6
		}
		if counted != redact {
			t.Errorf("redact %v, counted as sensitive %v", redact, counted)
		}
		for _, l := range r.Choices[0].Leaks {
			if l.Label == "" {
				t.Errorf("of what would leak, %q has no kind", l.Text)
			}
		}
	}
	if r, err := b.Run(t.Context(), projecttest.Reviewer, id, 1); err != nil || r.Context != nil || r.ContextFound == 0 {
		t.Errorf("who may not read notes is told %+v of %d, %v", r.Context, r.ContextFound, err)
	}
	all, err := b.Runs(t.Context(), projecttest.Broker, id)
	if err != nil || all[0].Context != nil {
		t.Errorf("the list of runs holds words of notes: %+v, %v", all[0].Context, err)
	}
}

func TestADetectorThatLearntContextSuggestsNothing(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(mayors(12))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2, Context: &greedy.Context{MinLift: 1.5, Redact: true}})
	if err != nil {
		t.Fatal(err)
	}
	b.FinishedRun(id, number)
	err = b.View(id, func(tx *store.Tx) error {
		_, err := tx.Get("models", []byte("detector"))
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it suggests words that no annotator would mark (%v)", err)
	}
}

func TestARunOfThePapersStatesTheDimensionOfItsBounds(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(12))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{Mode: greedy.Paper, LC: []float64{10}, Folds: 2, VC: 1000})
	if err != nil {
		t.Fatal(err)
	}
	r := b.FinishedRun(id, number)
	if got := r.Choices[0].Bounds; r.Params.VC != 1000 || len(got) != 4 || got[2].Theorem != "theorem 5" || got[3].Theorem != "theorem 6" {
		t.Errorf("with a dimension of %g: %+v", r.Params.VC, got)
	}
	for _, p := range []sanitize.Params{{VC: 5}, {Mode: greedy.Paper, VC: 0.5}, {Mode: greedy.Cost, VC: 7}, {Context: &greedy.Context{Window: -1}}, {Context: &greedy.Context{MinLift: -1}}} {
		p.LC = []float64{10}
		if _, err := b.StartSanitize(t.Context(), projecttest.Broker, id, p); project.KindOf(err) != project.Invalid {
			t.Errorf("%+v is taken: %v", p, err)
		}
	}
}
