// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
	"hide/internal/testsize"
)

func TestBlindNotesAreAShareThatNothingElseDecides(t *testing.T) {
	const n = 4000
	ws := project.Fill(n, 0.1, 42)
	count := func(docs []annotate.DocumentID) (blind int) {
		for _, doc := range docs {
			if project.DrawnBlind(ws, doc) {
				blind++
			}
		}
		return blind
	}
	if got := count(ws.All()); got < 330 || got > 470 {
		t.Errorf("%d of %d notes are blind, want about 400", got, n)
	}
	if got := count(project.Drawn(ws)[:n/4]); got < 65 || got > 135 {
		t.Errorf("%d of the first %d of the drawn order are blind, want about 100", got, n/4)
	}
	more := []annotate.DocumentID{}
	for _, doc := range ws.All() {
		if project.DrawnBlind(ws, doc) {
			more = append(more, doc)
		}
	}
	project.SetBlind(ws, 0.3)
	if count(more) != len(more) {
		t.Error("a greater share takes blind notes away")
	}
	project.SetBlind(ws, 0.1)
	project.Redraw(ws, 43)
	if again := count(more); again > len(more)/3 {
		t.Errorf("%d of %d notes are blind in another project as well", again, len(more))
	}
	project.SetBlind(ws, 0)
	if count(ws.All()) != 0 {
		t.Error("there are blind notes though the share is 0")
	}
}

// blindProject has finished notes that a model has learnt from, and open ones, half
// of them blind.
func blindProject(t *testing.T) (b *bench, id project.ID, blind, seen []annotate.DocumentID) {
	b = newBench(t)
	docs := projecttest.Notes(30)
	id = b.NewProject(nil, false)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	project.Redraw(ws, 42) // of random ones, few in a hundred thousand find no two of each
	b.MustImport(id, docs[:10], true)
	b.Set(id, func(s *project.Settings) { s.Blind, s.MinRecall = 0.5, 0 })
	b.MustImport(id, projecttest.Strip(docs[10:]), false)
	b.Trained(id)
	for _, doc := range ws.All()[10:] {
		if project.DrawnBlind(ws, doc) {
			blind = append(blind, doc)
		} else {
			seen = append(seen, doc)
		}
	}
	if len(blind) < 2 || len(seen) < 2 {
		t.Fatalf("%d blind notes and %d others", len(blind), len(seen))
	}
	return b, id, blind, seen
}

func TestBlindNotesHaveNoSuggestionsUntilTheyAreDone(t *testing.T) {
	testsize.Slow(t)
	b, id, blind, seen := blindProject(t)
	n := b.MustNote(projecttest.Annotator, id, blind[0])
	if !n.Blind || len(n.Suggestions) > 0 {
		t.Errorf("a blind note: blind %v, %d suggestions", n.Blind, len(n.Suggestions))
	}
	open := b.MustNote(projecttest.Annotator, id, seen[0])
	if open.Blind || len(open.Suggestions) == 0 {
		t.Fatalf("another note: blind %v, %d suggestions", open.Blind, len(open.Suggestions))
	}
	page, err := b.Queue(t.Context(), projecttest.Annotator, id, project.QueueFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range page.Items {
		if slices.Contains(blind, item.Document) && item.Suggestions != 0 {
			t.Errorf("the queue counts %d suggestions in blind note %d", item.Suggestions, item.Document)
		}
	}
	_, err = b.Edit(t.Context(), projecttest.Annotator, id, blind[0], 0, annotate.Edit{Verb: annotate.VerbAccept, Suggestions: open.Suggestions[:1]})
	projecttest.WantKind(t, err, project.Invalid)
	done := b.MustEdit(projecttest.Annotator, id, blind[0], 0, annotate.Edit{Verb: annotate.VerbFinish})
	if done.Blind || len(done.Suggestions) == 0 {
		t.Errorf("when it is done: blind %v, %d suggestions", done.Blind, len(done.Suggestions))
	}
}

func TestWhatWasShownIsRecordedOnce(t *testing.T) {
	testsize.Slow(t)
	b, id, blind, seen := blindProject(t)
	for range 2 {
		b.MustNote(projecttest.Annotator, id, seen[0])
		b.MustNote(projecttest.Second, id, blind[0])
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, r := range rows {
		if r.Action == "show suggestions" {
			shown = append(shown, r.Object)
		}
	}
	if want := []string{id.Object("documents", seen[0])}; !slices.Equal(shown, want) {
		t.Errorf("suggestions were shown in %v, want %v", shown, want)
	}
	b.Set(id, func(s *project.Settings) { s.Blind = 0.5000 })
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	if n := b.MustNote(projecttest.Annotator, id, blind[1]); n.Blind {
		t.Error("a note is blind though the share is 0")
	}
	b.Set(id, func(s *project.Settings) { s.Blind = 0.5 })
	if n := b.MustNote(projecttest.Annotator, id, blind[1]); n.Blind {
		t.Error("a note is blind in which suggestions have been seen")
	}
}

// TestBlindNotesCountOnlyWhenTheyStayedSo plays random steps against a plain model
// of who has seen what. The first notes were finished before there was anything to
// see.
func TestBlindNotesCountOnlyWhenTheyStayedSo(t *testing.T) {
	testsize.Slow(t)
	b, id, _, _ := blindProject(t)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	done, want := map[annotate.DocumentID]bool{}, map[annotate.DocumentID]project.Help{}
	for _, doc := range ws.All()[:10] {
		done[doc] = true
	}
	for range 80 {
		doc := ws.All()[random.IntN(len(ws.All()))]
		n := b.MustNote(projecttest.Annotator, id, doc)
		isBlind := project.DrawnBlind(ws, doc) && want[doc] == project.HelpNone && !done[doc]
		if n.Blind != isBlind || isBlind && len(n.Suggestions) > 0 {
			t.Fatalf("note %d: blind %v with %d suggestions, want %v", doc, n.Blind, len(n.Suggestions), isBlind)
		}
		if !done[doc] && len(n.Suggestions) > 0 && want[doc] == project.HelpNone {
			want[doc] = project.HelpShown
		}
		verb := annotate.VerbFinish
		if done[doc] {
			verb = annotate.VerbReopen
			if want[doc] != project.HelpShown {
				want[doc] = project.HelpMixed
			}
		} else if isBlind {
			want[doc] = project.HelpBlind
		}
		b.MustEdit(projecttest.Annotator, id, doc, n.Layer.Revision, annotate.Edit{Verb: verb})
		done[doc] = !done[doc]
		if random.IntN(20) == 0 {
			b.CancelTraining(t.Context(), projecttest.Annotator, id)
		}
	}
	for doc, h := range want {
		if st, _ := ws.Find(doc); st.Help != h {
			t.Errorf("note %d counts as %q, want %q", doc, st.Help, h)
		}
	}
}

func TestANoteReopenedAfterItsSuggestionsWereSeenIsNotBlind(t *testing.T) {
	b, id, blind, _ := blindProject(t)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	b.MustEdit(projecttest.Annotator, id, blind[0], 0, annotate.Edit{Verb: annotate.VerbFinish}) // without having opened it
	b.Set(id, func(s *project.Settings) { s.Blind = 0.5 })
	n := b.MustNote(projecttest.Annotator, id, blind[0])
	if len(n.Suggestions) == 0 {
		t.Fatal("nothing is suggested in the finished note")
	}
	n = b.MustEdit(projecttest.Annotator, id, blind[0], n.Layer.Revision, annotate.Edit{Verb: annotate.VerbReopen})
	b.MustEdit(projecttest.Annotator, id, blind[0], n.Layer.Revision, annotate.Edit{Verb: annotate.VerbFinish})
	if st, _ := ws.Find(blind[0]); n.Blind || st.Help == project.HelpBlind {
		t.Errorf("reopened: blind %v; finished again: %q", n.Blind, st.Help)
	}
}

func TestACheckComparesBlindWithAssistedNotes(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	docs := projecttest.Notes(30)
	id := b.NewProject(docs[:8], true)
	project.Redraw(b.MustWorkspace(id), 1) // with which there are enough of both kinds
	b.Set(id, func(s *project.Settings) { s.Blind, s.MinRecall = 0.5, 0 })
	b.MustImport(id, projecttest.Strip(docs[8:]), false)
	b.Trained(id)
	for doc := annotate.DocumentID(9); doc <= 30; doc++ {
		n := b.MustNote(projecttest.Annotator, id, doc)
		b.MustEdit(projecttest.Annotator, id, doc, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbTag, Spans: docs[doc-1].Spans})
		b.MustEdit(projecttest.Annotator, id, doc, n.Layer.Revision+1, annotate.Edit{Verb: annotate.VerbFinish})
	}
	var got training.BlindNotes
	b.Wait("a check of all notes", func() bool {
		b.Trained(id)
		var err error
		if got, err = b.BlindNotes(t.Context(), projecttest.Annotator, id); err != nil {
			t.Fatal(err)
		}
		return got.Bias.Blind.Documents+got.Bias.Assisted.Documents == 22
	})
	if got.Done != got.Bias.Blind.Documents || got.Assisted != got.Bias.Assisted.Documents || got.Share != 0.5 || !got.Bias.Known() {
		t.Errorf("%+v; want all 22 notes compared", got)
	}
	if r := got.Bias.Recall; r.Low > 0 || r.High < 0 {
		t.Errorf("difference of recall %+v among notes that were marked alike", r)
	}
	_, err := b.BlindNotes(t.Context(), projecttest.Reviewer, id)
	projecttest.WantKind(t, err, project.Forbidden)
}
