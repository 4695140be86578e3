// SPDX-License-Identifier: Apache-2.0

package note

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/webtest"
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
	page := newServer(t, manyNotes(t, 120)).Get(account.Annotator, "/p/p1/notes").Body.String()
	for _, want := range []string{
		"120 notes: 1 finished, 1 in progress, 118 not started", "Why this note: the model is unsure of 7 words",
		"1 to 50 of 120", `href="/p/p1/notes?from=50"`, "medium, 2.7 per 100 tokens", "not known yet",
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
	page := newServer(t, manyNotes(t, 120)).Get(account.Annotator, "/p/p1/notes?state=new&from=50").Body.String()
	for _, want := range []string{"51 to 100 of 118", "from=100&amp;state=new", `href="/p/p1/notes?state=new"`, `value="new" selected`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestNamesAreLookedForWithoutAnAddress(t *testing.T) {
	f := manyNotes(t, 120)
	for _, n := range f.docs {
		n.document.Name = webtest.Canary + "/" + n.document.Name
	}
	s := newServer(t, f)
	first := s.Post(account.Annotator, "/p/p1/notes", url.Values{"find": {" " + webtest.Canary + " "}, "state": {"new"}, "in": {"names"}})
	page := first.Body.String()
	if first.Code != http.StatusOK || f.asked.Query != webtest.Canary || f.asked.State != annotate.New {
		t.Fatalf("status %d, asked for %+v", first.Code, f.asked)
	}
	for _, want := range []string{`<input type="hidden" name="find" value="` + webtest.Canary, `<input type="hidden" name="state" value="new"`, `name="from" value="50"`, `method="post" action="/p/p1/notes"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	second := s.Post(account.Annotator, "/p/p1/notes", url.Values{"find": {webtest.Canary}, "state": {"new"}, "in": {"names"}, "from": {"50"}})
	if f.asked.Query != webtest.Canary || f.asked.Offset != 50 || f.asked.State != annotate.New {
		t.Errorf("the second page asks for %+v", f.asked)
	}
	pages := map[string]string{"found": page, "second": second.Body.String()}
	for _, path := range []string{"/p/p1/notes", "/p/p1/notes?from=50", "/p/p1/notes/17", "/p/p1/notes/17?span=1"} {
		pages[path] = s.Get(account.Annotator, path).Body.String()
	}
	for name, page := range pages {
		if !strings.Contains(page, webtest.Canary) {
			t.Errorf("%s does not show the name", name)
		}
		if list := webtest.Kept(page); strings.Contains(list, "Quarrington") || !strings.Contains(list, "/p/p1/notes") {
			t.Errorf("%s: a name is in an address or in the title:\n%s", name, list)
		}
	}
	if !strings.Contains(pages["/p/p1/notes/17"], "<title>Note 17 ") {
		t.Error("the note's title does not say which note it is")
	}
}

func TestANameInAnAddressIsNotLookedFor(t *testing.T) {
	f := manyNotes(t, 3)
	newServer(t, f).Get(account.Annotator, "/p/p1/notes?find=Quarrington")
	if f.asked.Query != "" {
		t.Error("a name is taken from the address")
	}
}

func TestLookingForNoNameLeadsToAnAddress(t *testing.T) {
	s := newServer(t, manyNotes(t, 120))
	answer := s.Post(account.Annotator, "/p/p1/notes", url.Values{"find": {" "}, "state": {"done"}})
	if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/p/p1/notes?state=done" {
		t.Errorf("status %d, to %q", answer.Code, answer.Header().Get("Location"))
	}
	r := httptest.NewRequest(http.MethodPost, webtest.Origin+"/p/p1/notes", strings.NewReader("find=x"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "https://elsewhere.example")
	if answer := s.Ask(account.Annotator, r); answer.Code != http.StatusForbidden {
		t.Errorf("from another site: status %d", answer.Code)
	}
}

func TestQueueForgivesNonsense(t *testing.T) {
	f := readQueueFilter(url.Values{"state": {"sideways"}, "from": {"-7"}, "find": {"x"}})
	if f.State != "" || f.Offset != 0 || f.Query != "" || f.Limit != queueSize {
		t.Errorf("filter %+v", f)
	}
}

func TestEmptyQueueSaysWhatToDo(t *testing.T) {
	s := newServer(t, newFakeNotes())
	if page := s.Get(account.Broker, "/p/p1/notes").Body.String(); !strings.Contains(page, `href="/p/p1/import"`) {
		t.Error("a broker is not led to the import")
	}
	page := s.Get(account.Annotator, "/p/p1/notes").Body.String()
	if strings.Contains(page, `class="button primary" href="/p/p1/import"`) || !strings.Contains(page, "A broker has to import") {
		t.Error("an annotator is led to a page that is not theirs")
	}
}

func TestAnnotateOpensTheNextNote(t *testing.T) {
	f := manyNotes(t, 3)
	s := newServer(t, f)
	if answer := s.Get(account.Annotator, "/p/p1/annotate"); answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/p/p1/notes/2" {
		t.Errorf("%d to %s", answer.Code, answer.Header().Get("Location"))
	}
	for _, n := range f.docs {
		n.layer.State = annotate.Done
	}
	if answer := s.Get(account.Annotator, "/p/p1/annotate"); answer.Header().Get("Location") != "/p/p1/notes" {
		t.Errorf("with nothing left: to %s", answer.Header().Get("Location"))
	}
}

func TestSideListHoldsTheOpenNoteAndItsNeighbours(t *testing.T) {
	f := manyNotes(t, 300)
	h := New(f, webtest.Accounts{})
	for _, doc := range []annotate.DocumentID{1, 2, 41, 150, 300} {
		view, err := h.queueSide(t.Context(), account.User{}, "p1", doc)
		if err != nil {
			t.Fatal(err)
		}
		has := func(doc annotate.DocumentID) bool {
			return slices.ContainsFunc(view.Items, func(i project.QueueItem) bool { return i.Document == doc })
		}
		if !has(doc) || doc > 1 && !has(doc-1) || doc < 300 && !has(doc+1) {
			t.Errorf("the list beside %d begins at %d", doc, view.Offset)
		}
	}
}

// TestReadersOfTheListShareItsFrames compares what neighbours and other people get.
func TestReadersOfTheListShareItsFrames(t *testing.T) {
	h := New(manyNotes(t, 300), webtest.Accounts{})
	one, err := h.queueSide(t.Context(), webtest.As(account.Broker), "p1", 150)
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.queueSide(t.Context(), webtest.As(account.Annotator), "p1", 151)
	if err != nil {
		t.Fatal(err)
	}
	if one.Offset != other.Offset {
		t.Errorf("the lists beside neighbours begin at %d and %d", one.Offset, other.Offset)
	}
	mine, theirs := webtest.LivePart(t, h, account.Broker, "queue", one.query()), webtest.LivePart(t, h, account.Annotator, "queue", other.query())
	if mine != theirs || strings.Contains(mine, "aria-current") {
		t.Error("a frame of the list depends on who reads it, or beside which note")
	}
}

func TestLookingForANameLeavesNoTraceInTheBrowser(t *testing.T) {
	f := manyNotes(t, 120)
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/notes")
	v.Type(`input[name="find"]`, "note-")
	v.Click(".queue-filter button")
	v.WaitText("main", "In the name of 120 notes")
	v.Click(".found button[value='0']")
	v.WaitText("main", "1 to 50 of 120")
	v.Click(".pager button[value='50']")
	v.WaitText("main", "51 to 100 of 120")
	v.Axe()
	v.Shots("queue-found")
	var at string
	v.Eval(`location.href + " " + document.title + " " + document.querySelector("input[name=find]").value`, &at)
	if at != v.Base+"/p/p1/notes Notes · hide note-" {
		t.Errorf("the browser is at %q", at)
	}
}

func TestQueuePageIsAccessible(t *testing.T) {
	v := openBrowser(t, account.Broker, manyNotes(t, 120))
	v.Open(v.Base + "/p/p1/notes")
	v.Axe()
	v.Shots("queue")
	v.Size(390, 800)
	v.Wait("names of notes on one line", `[...document.querySelectorAll(".queue-table tbody th a")].every((a) => a.getClientRects().length === 1)`)
	v.Size(1280, 800)
}
