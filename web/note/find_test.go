// SPDX-License-Identifier: Apache-2.0

package note

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/search"
	"hide/web/webtest"
)

// wardNotes are notes of which some have a surname, in their name, their text or both.
func wardNotes() *fakeNotes {
	f := newFakeNotes(
		"Mrs. Anna Weiss was seen by Dr. Okafor <in> the clinic.",
		"Mr. Weiss is well.\nNo complaints.",
		"Nothing of note.",
		"Seen with her sister, Mrs. Weiss.",
	)
	f.docs[3].document.Name = "weiss-2019"
	f.docs[2].layer.State = annotate.Done
	return f
}

func (f *fakeNotes) search(t *testing.T, form url.Values) string {
	t.Helper()
	answer := newServer(t, f).Post(account.Broker, "/p/p1/notes", form)
	if answer.Code != http.StatusOK {
		t.Fatalf("status %d", answer.Code)
	}
	return answer.Body.String()
}

func TestOneSearchFindsNamesAndTexts(t *testing.T) {
	f := wardNotes()
	page := f.search(t, url.Values{"find": {"weiss"}})
	for _, want := range []string{
		"In the name of 1 note", "In the text of 3 notes", `href="/p/p1/notes/3">weiss-2019</a>`, `href="/p/p1/notes/1#at-10-15">note-1</a>`,
		"Mrs. Anna <mark>Weiss</mark> was seen by Dr. Okafor &lt;in&gt; the clinic.", `data-state="done"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	page = f.search(t, url.Values{"find": {"weiss"}, "state": {"done"}})
	if !strings.Contains(page, "In the text of 1 note<") || f.searched.State != annotate.Done {
		t.Errorf("a search of finished notes asks for %+v", f.searched)
	}
}

func TestFoundTextsComeInPages(t *testing.T) {
	f := manyNotes(t, 120)
	first := f.search(t, url.Values{"find": {"okafor"}})
	for _, want := range []string{"In the text of 120 notes", "1 to 50 of 120", `name="in" value="text"`, `name="from" value="50"`} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q", want)
		}
	}
	third := f.search(t, url.Values{"find": {"okafor"}, "in": {"text"}, "from": {"100"}})
	if f.searched.From != 100 || !strings.Contains(third, "101 to 120 of 120") || !strings.Contains(third, `value="50">Previous`) || strings.Contains(third, "Next</button>") || strings.Contains(third, "In the name") {
		t.Errorf("the third page asks for %+v", f.searched)
	}
	names := f.search(t, url.Values{"find": {"note-"}})
	if !strings.Contains(names, "Show all 120 notes") || strings.Count(names, "<tr>") != 1+fewNames {
		t.Error("the names above the texts are not few, or there is no way to the others")
	}
	all := f.search(t, url.Values{"find": {"note-"}, "in": {"names"}})
	if !strings.Contains(all, "1 to 50 of 120") || strings.Contains(all, "In the text") {
		t.Error("all names: not a page of them alone")
	}
}

func TestWordsToFindAreInNoAddress(t *testing.T) {
	f := manyNotes(t, 60)
	for _, n := range f.docs {
		n.document.Text = "Seen by Dr. Quarrington."
	}
	page := f.search(t, url.Values{"find": {"quarrington"}})
	if kept := webtest.Kept(page); !strings.Contains(page, "<mark>Quarrington</mark>") || !strings.Contains(page, `name="find" value="quarrington"`) || strings.Contains(strings.ToLower(kept), "quarrington") {
		t.Errorf("the words are not on the page, or in an address or the title:\n%s", kept)
	}
}

// TestEmptySearchesSayWhatToDo has one case for each reason.
func TestEmptySearchesSayWhatToDo(t *testing.T) {
	named := queueView{QueuePage: project.QueuePage{Matching: 1}}
	for _, c := range []struct {
		view foundView
		want string
	}{
		{foundView{}, "Enter letters or digits"},
		{foundView{text: search.Found{Searched: true}}, "Check the spelling"},
		{foundView{text: search.Found{Searched: true, Ordered: true}}, "Check the spelling"},
		{foundView{text: search.Found{Searched: true, Ordered: true, Matching: 3, Looked: 3}}, "without quotation marks"},
		{foundView{text: search.Found{Searched: true, Coverage: search.Coverage{Notes: 1000, Total: 4974}}}, "The text of 1,000 of 4,974 notes was searched"},
		{foundView{queueView: named, only: inText, text: search.Found{Searched: true}}, "Check the spelling"},
	} {
		if got := c.view.nothing(); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.view.text, got, c.want)
		}
	}
	if got := (foundView{queueView: named, text: search.Found{Searched: true}}).nothing(); got != "" {
		t.Errorf("a note is found by its name, and the page says %q", got)
	}
	v := foundView{text: search.Found{Searched: true, Ordered: true, Matching: 30_000, From: 2000, Looked: 2000, Hits: make([]search.Hit, 7)}}
	if got := v.textTitle() + ". " + v.orderedWords(); got != "In the text of many notes. 30,000 notes have all these words. Numbers 2,001 to 4,000 of them were read: 7 notes have the words one after the other." {
		t.Errorf("words in their order: %s", got)
	}
}

func TestCoverageIsSaidAndCanBeStopped(t *testing.T) {
	f := wardNotes()
	f.coverage = search.Coverage{Notes: 1, Total: 4, Running: true}
	s := newServer(t, f)
	show := func(role account.Role) string {
		return s.Post(role, "/p/p1/notes", url.Values{"find": {"weiss"}}).Body.String()
	}
	if page := show(account.Annotator); !strings.Contains(page, "covers 1 of 4 notes so far") || strings.Contains(page, "index/stop") {
		t.Error("an annotator sees no coverage, or may stop the indexing")
	}
	if page := show(account.Broker); !strings.Contains(page, `action="/p/p1/notes/index/stop"`) {
		t.Error("a broker cannot stop the indexing")
	}
	s.Post(account.Broker, "/p/p1/notes/index/stop", nil)
	if page := show(account.Broker); !strings.Contains(page, "Somebody has stopped") || !strings.Contains(page, `action="/p/p1/notes/index/start"`) {
		t.Error("a broker cannot start the indexing again")
	}
	f.coverage = search.Coverage{Notes: 4, Total: 4}
	part := webtest.LivePart(t, New(f, webtest.Accounts{}), account.Broker, "search", url.Values{"covered": {"1"}})
	if !strings.Contains(part, "Search again") {
		t.Errorf("a page of one of four notes is told %q", part)
	}
	if page := show(account.Broker); strings.Contains(page, "covers") {
		t.Error("a page of all notes speaks of its coverage")
	}
}

// TestFindingAPatientByName is the whole job in a browser: type a name,
// see the passages, go to the next page, open a note.
func TestFindingAPatientByName(t *testing.T) {
	f := manyNotes(t, 60)
	f.docs[1].document.Text = strings.Repeat("Nothing of note here. ", 20) + "Her sister, Mrs. Anna Okafor-Weiss, called on 12/03/2019.\n" + strings.Repeat("All is well. ", 20)
	f.coverage = search.Coverage{Notes: 40, Total: 60, Running: true}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/notes")
	v.Type(`input[name="find"]`, "okafor")
	v.Press("Enter")
	v.WaitText("#found-texts", "In the text of 60 notes")
	v.WaitText(".found-texts li", "Mrs. Anna Okafor-Weiss, called")
	v.WaitText("#search-state", "covers 40 of 60 notes so far")
	v.Axe()
	v.Legible()
	v.Shots("queue-found-text")
	f.mu.Lock()
	f.coverage = search.Coverage{Notes: 60, Total: 60}
	f.mu.Unlock()
	f.tell(project.TopicSearch, 0)
	v.WaitText("#search-state", "Search again")
	v.Click(".pager button[value='50']")
	v.WaitText(".pager", "51 to 60 of 60")
	v.Click(".pager button[value='0']")
	v.WaitText(".pager", "1 to 50 of 60")
	v.Click(".found-texts a")
	v.Wait("the passage is selected", `getSelection().toString() === "Okafor"`)
	var at string
	v.Eval(`location.pathname + " " + document.title`, &at)
	if at != "/p/p1/notes/1 Note 1 · Discharge letters · hide" {
		t.Errorf("the browser is at %q", at)
	}
}
