// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/learners"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
	"hide/internal/store"
	"hide/internal/testsize"
)

// thinned are notes of which a smaller share is sensitive: each goes on for long.
func thinned(docs []annotate.Annotated) []annotate.Annotated {
	out := slices.Clone(docs)
	for i := range out {
		out[i].Text += strings.Repeat("There was no pain and no cough at night, and the lungs were clear.\n", 4)
	}
	return out
}

// encodedSteps are the classifiers of the bundle of a run's only L/C, and what it says
// of odds.
func (b *bench) encodedSteps(id project.ID, r *sanitize.Run) (steps [][]byte, attuned float64) {
	b.T.Helper()
	info, err := b.Choose(b.T.Context(), projecttest.Broker, id, r.Number, r.Choices[0].LC)
	if err != nil {
		b.T.Fatal(err)
	}
	bundle, _, err := b.OpenBundle(id, info.Number)
	if err != nil {
		b.T.Fatal(err)
	}
	for _, a := range bundle.Ensemble {
		steps = append(steps, b.encoded(a.Classifier))
	}
	return steps, bundle.Provenance.Attuned
}

func (b *bench) encoded(c greedy.Classifier) []byte {
	b.T.Helper()
	raw, err := learners.Encode(c)
	if err != nil {
		b.T.Fatal(err)
	}
	return raw
}

// TestARunIsAttunedToDenserNotes publishes notes of which a larger share is sensitive
// than of those annotated.
func TestARunIsAttunedToDenserNotes(t *testing.T) {
	testsize.Slow(t)
	b, all := newBench(t), projecttest.Notes(70)
	id := b.FinishedProject(thinned(all[:10]))
	b.MustImport(id, projecttest.Strip(all[10:]), false)
	p := sanitize.Params{LC: []float64{10}, Folds: 2}
	r := b.Ran(id, p)
	if r.Attuned < 1.2 || !strings.Contains(strings.Join(r.Warnings(), "\n"), "odds were raised") {
		t.Fatalf("odds rise by %g, warnings %q", r.Attuned, r.Warnings())
	}
	steps, said := b.encodedSteps(id, r)
	if said != r.Attuned {
		t.Errorf("the bundle says that odds rise by %g, the run by %g", said, r.Attuned)
	}
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	var suggests []byte
	err = b.View(ws.ID, func(tx *store.Tx) (err error) {
		suggests, err = tx.Get("models", []byte("detector"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(steps[len(steps)-1], suggests) {
		t.Error("the bundle has the detector that was measured last")
	}
	again := b.Ran(id, p)
	if same, _ := b.encodedSteps(id, again); again.Attuned != r.Attuned || !slices.EqualFunc(same, steps, bytes.Equal) {
		t.Errorf("a second run's odds rise by %g, not %g, or its classifiers are others", again.Attuned, r.Attuned)
	}
	if said := b.MustWarnings(id, 1); !strings.Contains(said, "odds were raised") {
		t.Errorf("the warnings to the publisher are %q", said)
	}
	p.Mode, p.Learners = greedy.Paper, []string{"detector"}
	if paper := b.Ran(id, p); paper.Attuned != 0 {
		t.Errorf("the papers' algorithm is attuned by %g", paper.Attuned)
	}
}
