// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
)

func manyNotes(t *testing.T, n int) *fakeNotes {
	t.Helper()
	texts := make([]string, n)
	for i := range texts {
		texts[i] = "Seen by Dr. Okafor."
	}
	f := newFakeNotes(texts...)
	f.docs[1].layer.State, f.docs[2].layer.State = annotate.Done, annotate.InProgress
	return f
}

func TestQueueShowsStatesCountsAndReason(t *testing.T) {
	page := get(newTestServer(t, manyNotes(t, 120)), account.Annotator, "/p/p1/notes").Body.String()
	for _, want := range []string{
		"120 notes: 1 done, 1 in progress, 118 not started", "Why this note: the model is unsure of 7 words",
		"1 to 50 of 120", `href="/p/p1/notes?from=50"`, "some, 2.7 in 100 tokens", "not known yet",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(page, "<tr>"); n != 51 {
		t.Errorf("%d rows, want 50 and the head", n)
	}
}

func TestQueueFilterSurvivesPaging(t *testing.T) {
	page := get(newTestServer(t, manyNotes(t, 120)), account.Annotator, "/p/p1/notes?state=new&from=50").Body.String()
	for _, want := range []string{"51 to 100 of 118", "from=100&amp;state=new", `href="/p/p1/notes?state=new"`, `value="new" selected`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestQueueForgivesNonsense(t *testing.T) {
	f := readQueueFilter(url.Values{"state": {"sideways"}, "from": {"-7"}, "name": {"x"}})
	if f.State != "" || f.Offset != 0 || f.Query != "x" || f.Limit != queueSize {
		t.Errorf("filter %+v", f)
	}
}

func TestEmptyQueueSaysWhatToDo(t *testing.T) {
	s := newTestServer(t, newFakeNotes())
	if page := get(s, account.Broker, "/p/p1/notes").Body.String(); !strings.Contains(page, `href="/p/p1/import"`) {
		t.Error("a broker is not led to the import")
	}
	page := get(s, account.Annotator, "/p/p1/notes").Body.String()
	if strings.Contains(page, `class="button primary" href="/p/p1/import"`) || !strings.Contains(page, "A broker has to import") {
		t.Error("an annotator is led to a page that is not theirs")
	}
}

func TestAnnotateOpensTheNextNote(t *testing.T) {
	f := manyNotes(t, 3)
	s := newTestServer(t, f)
	if answer := get(s, account.Annotator, "/p/p1/annotate"); answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/p/p1/notes/2" {
		t.Errorf("%d to %s", answer.Code, answer.Header().Get("Location"))
	}
	for _, n := range f.docs {
		n.layer.State = annotate.Done
	}
	if answer := get(s, account.Annotator, "/p/p1/annotate"); answer.Header().Get("Location") != "/p/p1/notes" {
		t.Errorf("with nothing left: to %s", answer.Header().Get("Location"))
	}
}

func TestSideListHoldsTheOpenNoteAndItsNeighbours(t *testing.T) {
	f := manyNotes(t, 300)
	s := newTestServer(t, f)
	for _, doc := range []annotate.DocumentID{1, 2, 41, 150, 300} {
		view, err := s.queueSide(t.Context(), account.User{}, "p1", doc)
		if err != nil {
			t.Fatal(err)
		}
		if doc > 1 && view.before != doc-1 || doc < 300 && view.behind != doc+1 {
			t.Errorf("beside %d: %d and %d", doc, view.before, view.behind)
		}
	}
}

func TestQueuePageIsAccessible(t *testing.T) {
	v := visitAs(t, manyNotes(t, 120), account.Broker)
	v.Open(v.base + "/p/p1/notes")
	v.Axe()
	v.Shots("queue")
}
