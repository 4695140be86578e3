// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"errors"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
)

// TestOneEditOpensTheNoteOnce counts how often a document is decoded: once for the
// edit, not at all for those who have the note open.
func TestOneEditOpensTheNoteOnce(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Seen by Dr. Weiss.", "Another note."), false)
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	opened := func(do func()) int64 {
		before := b.Opened()
		do()
		return b.Opened() - before
	}
	var n *project.Note
	for _, e := range []annotate.Edit{projecttest.Tag(12, 17, "DOCTOR"), {Verb: "undo"}, {Verb: "redo"}, {Verb: annotate.VerbFinish}} {
		if got := opened(func() {
			shown := b.MustNote(projecttest.Annotator, id, 1)
			var err error
			if n, err = b.EditNote(t.Context(), projecttest.Annotator, id, shown, shown.Layer.Revision, e); err != nil {
				t.Fatal(err)
			}
			if n.Layer.Revision != shown.Layer.Revision+1 {
				t.Errorf("%s: revision %d after %d", e.Verb, n.Layer.Revision, shown.Layer.Revision)
			}
		}); got != 1 {
			t.Errorf("%s opened the note %d times, want once", e.Verb, got)
		}
		if got := opened(func() {
			now, err := b.NoteState(t.Context(), projecttest.Second, id, 1)
			if err != nil || now.Revision != n.Layer.Revision || now.Suggestions != n.SuggestionsKey {
				t.Errorf("%s: the newest state is %+v, %v; want that of %+v", e.Verb, now, err, n)
			}
		}); got != 0 {
			t.Errorf("after %s the note was opened %d times for another viewer, want never", e.Verb, got)
		}
	}
	if again := b.MustNote(projecttest.Annotator, id, 1); again.Layer.Revision != n.Layer.Revision || again.Layer.State != annotate.Done {
		t.Errorf("stored is %+v", again.Layer)
	}
}

// TestAnEditOfANoteThatWasChangedMeanwhileIsAConflict: what was opened before is not
// trusted.
func TestAnEditOfANoteThatWasChangedMeanwhileIsAConflict(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Seen by Dr. Weiss."), false)
	old := b.MustNote(projecttest.Annotator, id, 1)
	b.MustEdit(projecttest.Second, id, 1, 0, projecttest.Tag(12, 17, "DOCTOR"))
	_, err := b.EditNote(t.Context(), projecttest.Annotator, id, old, old.Layer.Revision, projecttest.Tag(8, 17, "CITY"))
	conflict, ok := err.(*project.ConflictError)
	if !ok || conflict.Theirs.Layer.Revision != 1 || len(conflict.Theirs.Layer.Annotations) != 1 {
		t.Errorf("got %v", err)
	}
	if len(old.Layer.Annotations) != 0 {
		t.Error("the note that was opened before has changed")
	}
}

// TestAnEditOfOtherWordsStands: what two people mark in different places is no question.
func TestAnEditOfOtherWordsStands(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Seen by Dr. Weiss."), false)
	old := b.MustNote(projecttest.Annotator, id, 1)
	b.MustEdit(projecttest.Second, id, 1, 0, projecttest.Tag(12, 17, "DOCTOR"))
	n, err := b.EditNote(t.Context(), projecttest.Annotator, id, old, 0, projecttest.Tag(0, 4, "CITY"))
	if err != nil || n.Layer.Revision != 2 || len(n.Layer.Annotations) != 2 {
		t.Fatalf("got %+v, %v", n, err)
	}
	if then, ok, err := b.Earlier(t.Context(), projecttest.Annotator, id, n, 1); err != nil || !ok || len(then.Layer.Annotations) != 1 {
		t.Errorf("after the first edit the note was %+v, %v, %v", then, ok, err)
	}
	b.MustEdit(projecttest.Second, id, 1, 2, annotate.Edit{Verb: annotate.VerbFinish})
	_, err = b.EditNote(t.Context(), projecttest.Annotator, id, n, 2, projecttest.Tag(8, 11, "CITY"))
	if _, ok := errors.AsType[*project.ConflictError](err); !ok {
		t.Errorf("an edit of a note that was finished meanwhile: %v", err)
	}
}
