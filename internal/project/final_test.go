// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
	"hide/internal/testsize"
)

// Figures are of another state exactly while finished notes hold other spans: a
// change that is taken back is none.
func TestUndoneChangeOfAFinishedNoteIsNone(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	id := b.NewProject(projecttest.Notes(5), true)
	if err := b.StartCurves(ctx, projecttest.Broker, id, training.CurveParams{Lines: []string{"o=.5"}, Learner: "bayes", Folds: 2}); err != nil {
		t.Fatal(err)
	}
	if st := b.MustCurves(id); st.Last == nil || st.Changed {
		t.Fatalf("measuring ended as %+v", st)
	}
	doc := b.MustWorkspace(id).All()[0]
	n := b.MustNote(projecttest.Annotator, id, doc)
	changed := func(what string, want bool) {
		t.Helper()
		if got := b.MustCurves(id).Changed; got != want {
			t.Errorf("%s: changed %v", what, got)
		}
	}
	n = b.MustEdit(projecttest.Annotator, id, doc, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbRemove, IDs: []uint64{n.Layer.Annotations[0].ID}})
	changed("one span removed", true)
	n, err := b.Undo(ctx, projecttest.Annotator, id, doc, n.Layer.Revision)
	if err != nil || n.Layer.State != annotate.Done {
		t.Fatalf("undo: %v, the note is %s", err, n.Layer.State)
	}
	changed("taken back", false)
	b.Reopen()
	changed("taken back, and the program begun anew", false)
	if n, err = b.Redo(ctx, projecttest.Annotator, id, doc, n.Layer.Revision); err != nil {
		t.Fatal(err)
	}
	changed("made again", true)
	b.MustEdit(projecttest.Annotator, id, doc, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbFinish})
	changed("finished without the span", true)
}

// Whatever is done to a note, its fingerprint is that of another state exactly when
// its spans are others; a simple model keeps the spans themselves.
func TestFingerprintsFollowSpans(t *testing.T) {
	testsize.Slow(t)
	random := rand.New(rand.NewPCG(7, 1))
	for trial := range 40 {
		b := newBench(t)
		id := b.FinishedProject(projecttest.Notes(1))
		ws, doc := b.MustWorkspace(id), annotate.DocumentID(1)
		seen := map[string]string{} // spans of the finished note, or that it is not, to fingerprint
		for step := range 8 {
			n := b.MustNote(projecttest.Annotator, id, doc)
			state := fmt.Sprint(n.Layer.State == annotate.Done)
			if n.Layer.State == annotate.Done {
				state = fmt.Sprint(n.Layer.Spans())
			}
			now := ws.Revisions()
			if last, known := seen[state]; known && last != now && len(seen) <= project.MostFinals {
				t.Fatalf("trial %d, step %d: the same spans, and another fingerprint", trial, step)
			}
			for other, last := range seen {
				if other != state && last == now {
					t.Fatalf("trial %d, step %d: other spans, and the same fingerprint", trial, step)
				}
			}
			seen[state] = now
			b.anyEdit(random, projecttest.Annotator, id, n)
		}
		b.Shut()
	}
}

// anyEdit does something to a note, or nothing where that is refused.
func (b *bench) anyEdit(random *rand.Rand, by account.User, id project.ID, n *project.Note) {
	ctx, at := b.T.Context(), n.Layer.Revision
	switch random.IntN(5) {
	case 0:
		_, _ = b.Undo(ctx, by, id, n.ID, at)
	case 1:
		_, _ = b.Redo(ctx, by, id, n.ID, at)
	case 2:
		if len(n.Layer.Annotations) > 0 {
			_, _ = b.Edit(ctx, by, id, n.ID, at, annotate.Edit{Verb: annotate.VerbRemove, IDs: []uint64{n.Layer.Annotations[0].ID}})
		}
	default:
		_, _ = b.Edit(ctx, by, id, n.ID, at, annotate.Edit{Verb: annotate.VerbFinish})
	}
}
