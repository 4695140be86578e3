// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/testsize"
)

// sameCounts compares what the list says of every note with what the note shows, and
// gives the sum.
func (b *bench) sameCounts(what string, id project.ID) int {
	b.T.Helper()
	sum := 0
	for range 2 { // the second time from what is remembered
		page, err := b.Queue(b.T.Context(), projecttest.Annotator, id, project.QueueFilter{})
		if err != nil {
			b.T.Fatal(err)
		}
		sum = 0
		for _, item := range page.Items {
			shown := len(b.MustNote(projecttest.Annotator, id, item.Document).Suggestions)
			if item.Suggestions != shown {
				b.T.Errorf("%s: the list counts %d suggestions in note %d, which shows %d", what, item.Suggestions, item.Document, shown)
			}
			sum += shown
		}
	}
	return sum
}

// TestTheListCountsTheSuggestionsThatNotesShow goes through everything that changes
// what is suggested.
func TestTheListCountsTheSuggestionsThatNotesShow(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	docs := projecttest.Notes(12)
	id := b.NewProject(docs[:6], true)
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	b.MustImport(id, projecttest.Strip(docs[6:]), false)
	b.Trained(id)
	all := b.sameCounts("after training", id)
	if all == 0 {
		t.Fatal("nothing is suggested")
	}
	edit := func(verb annotate.Verb) {
		n := b.MustNote(projecttest.Annotator, id, 7)
		e := annotate.Edit{Verb: verb}
		if verb == annotate.VerbAccept || verb == annotate.VerbReject {
			e.Suggestions = n.Suggestions[:1]
		}
		b.MustEdit(projecttest.Annotator, id, 7, n.Layer.Revision, e)
	}
	for _, verb := range []annotate.Verb{annotate.VerbAccept, annotate.VerbReject} {
		edit(verb)
		if now := b.sameCounts("after "+string(verb), id); now != all-1 {
			t.Errorf("%d suggestions after %s of %d", now, verb, all)
		} else {
			all = now
		}
	}
	edit(annotate.VerbFinish)
	b.sameCounts("after finishing", id)
	b.Trained(id)
	b.sameCounts("after another training", id)
	b.Set(id, func(s *project.Settings) { s.MinRecall = 1 })
	b.sameCounts("when the model waits", id)
	b.Set(id, func(s *project.Settings) { s.MinRecall, s.Rules = 0, true })
	b.sameCounts("at no level", id)
	b.Set(id, func(s *project.Settings) { s.Blind = 0.5 })
	b.sameCounts("with blind notes", id)
	b.Reopen()
	b.sameCounts("after reopening", id)
}

// TestABriefListTagsFewNotesAndTheRestLater: what is counted in the background is what
// the notes show.
func TestABriefListTagsFewNotesAndTheRestLater(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	docs := projecttest.Notes(20)
	id := b.NewProject(docs[:6], true)
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	b.MustImport(id, projecttest.Strip(docs[6:]), false)
	b.Trained(id)
	brief := func() (page project.QueuePage, uncounted int) {
		page, err := b.Queue(t.Context(), projecttest.Annotator, id, project.QueueFilter{Brief: true, Limit: 40})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			if item.Uncounted {
				uncounted++
			}
		}
		return page, uncounted
	}
	if page, uncounted := brief(); len(page.Items) != 20 || uncounted != 14-project.CountedAtOnce {
		t.Fatalf("%d of %d notes are not counted, want all but the 6 finished ones and %d", uncounted, len(page.Items), project.CountedAtOnce)
	}
	ws, err := b.Enter(projecttest.Annotator, account.ReadNotes, id)
	if err != nil {
		t.Fatal(err)
	}
	b.Wait("counting in the background", func() bool {
		for doc := range annotate.DocumentID(14) {
			if !project.Remembers(ws, doc+7) {
				return false
			}
		}
		return true
	})
	page, uncounted := brief()
	if uncounted > 0 {
		t.Errorf("%d notes are not counted in the end", uncounted)
	}
	sum := 0
	for _, item := range page.Items {
		if item.State == annotate.Done && project.Remembers(ws, item.Document) {
			t.Errorf("the finished note %d was tagged for a list that does not tell", item.Document)
		}
		shown := len(b.MustNote(projecttest.Annotator, id, item.Document).Suggestions)
		if item.State == annotate.Done {
			shown = 0
		}
		if item.Suggestions != shown {
			t.Errorf("the list counts %d suggestions in note %d, which shows %d", item.Suggestions, item.Document, shown)
		}
		sum += shown
	}
	if sum == 0 {
		t.Error("nothing is suggested")
	}
}
