// SPDX-License-Identifier: Apache-2.0

package note

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"hide/internal/account"
	"hide/web/webtest"
)

// longNote has 200 KB of text with 2,000 suggestions.
func longNote(t *testing.T) *fakeNotes {
	t.Helper()
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "On visit %04d the patient was seen by Dr. Okafor%04d, who ordered the usual tests again, all normal.\n", i, i)
	}
	f := newFakeNotes(text.String())
	for i := range 2000 {
		f.propose(t, 1, fmt.Sprintf("Okafor%04d", i), "DOCTOR", 0.8)
	}
	return f
}

// TestAnEditOfALongNoteIsAnsweredWithWhatChanged tags one name, from a page that shows the
// note before and from one that does not.
func TestAnEditOfALongNoteIsAnsweredWithWhatChanged(t *testing.T) {
	f := longNote(t)
	s := newServer(t, f)
	text := f.docs[1].document.Text
	before, err := f.Note(t.Context(), webtest.As(account.Annotator), "p1", 1)
	if err != nil {
		t.Fatal(err)
	}
	form := editForm(t, text, "visit 0990", "ID", 0)
	form.Set("shown", suggestionsKey(before.SuggestionsKey))
	w := s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", form)
	answer := w.Body.String()
	t.Logf("%d bytes of text, answer %d bytes", len(text), len(answer))
	if w.Code != 200 || len(answer) > 10_000 {
		t.Errorf("status %d, %d bytes for one span, want at most 10000", w.Code, len(answer))
	}
	if !strings.Contains(answer, `data-id="1" data-kind="ID"`) || strings.Contains(answer, "On visit 0001") {
		t.Error("the answer does not hold the new span, or holds lines far away")
	}
	// A page that is one revision behind, whose edit is about other words.
	form = editForm(t, text, "visit 1234", "ID", 0)
	form.Set("shown", suggestionsKey(before.SuggestionsKey))
	w = s.PostFragment(account.Broker, "/p/p1/notes/1/edit", form)
	behind := w.Body.String()
	if w.Code != 200 || len(behind) > 20_000 || !strings.Contains(behind, `data-id="1" data-kind="ID"`) || !strings.Contains(behind, `data-id="2" data-kind="ID"`) {
		t.Errorf("status %d, %d bytes for both spans, want at most 20000", w.Code, len(behind))
	}
	r := httptest.NewRequest(http.MethodGet, webtest.Origin+"/p/p1/notes/1?since=0&shown="+suggestionsKey(before.SuggestionsKey), nil)
	r.Header.Set("HX-Request", "true")
	since := s.Ask(account.Broker, r)
	if got := since.Body.String(); since.Code != 200 || len(got) > 20_000 || !strings.Contains(got, `data-id="2" data-kind="ID"`) {
		t.Errorf("what has changed since: status %d, %d bytes, want at most 20000", since.Code, len(got))
	}
	if fresh := s.Get(account.Annotator, "/p/p1/notes/1").Body.String(); !strings.Contains(fresh, "On visit 0001") {
		t.Error("the page does not hold the whole note")
	}
	for name, shown := range map[string]string{"other suggestions": "1234", "no script that says so": ""} {
		form := editForm(t, text, "visit 0"+map[bool]string{true: "991", false: "992"}[shown == ""], "ID", f.docs[1].layer.Revision)
		form.Set("shown", shown)
		if answer := s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", form).Body.String(); strings.Contains(answer, "data-kept") || !strings.Contains(answer, "On visit 0001") {
			t.Errorf("a page that shows %s does not get the whole note", name)
		}
	}
}

// TestWhatIsLeftOutIsInTheListBefore fills in the placeholders as the page does.
func TestWhatIsLeftOutIsInTheListBefore(t *testing.T) {
	items := func(keys string) (out []listItem) {
		for _, k := range strings.Fields(keys) {
			out = append(out, listItem{k, text("<li>" + k + "</li>")})
		}
		return out
	}
	for _, c := range []struct{ before, now string }{
		{"", "a"}, {"a", ""}, {"a b c", "a b c"}, {"a b c d e", "a b x d e"}, {"a b c", "a c"}, {"a b c", "c a b"}, {"a b", "x a y b z"},
	} {
		before := items(c.before)
		root, err := html.Parse(strings.NewReader(webtest.Rendered(t, listed(withoutKept(before, items(c.now))))))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for n := range root.Descendants() {
			switch n.Data {
			case "li":
				got = append(got, n.FirstChild.Data)
			case "template":
				var from, count int
				fmt.Sscan(attr(n, "data-kept"), &from, &count)
				if before[from].key != attr(n, "data-first") || before[from+count-1].key != attr(n, "data-last") {
					t.Errorf("from %q to %q: wrong keys at the ends", c.before, c.now)
				}
				for _, item := range before[from : from+count] {
					got = append(got, item.key)
				}
			}
		}
		if strings.Join(got, " ") != c.now {
			t.Errorf("from %q to %q: got %q", c.before, c.now, got)
		}
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// TestAPageThatShowsAnotherNoteFetchesIt edits a page whose chunk the server does not know.
func TestAPageThatShowsAnotherNoteFetchesIt(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.Eval(`document.querySelector("#note-text .chunk").dataset.key = "other"`, nil)
	v.Eval(`document.querySelector(".spans li").dataset.key = "other"`, nil)
	v.selectText("teacher", 0, 0)
	v.Press("o")
	v.saved(1)
	v.Wait("the page as the server has it", `!document.querySelector("[data-key=other], [data-kept]") && document.querySelectorAll("#note-text mark:not([data-suggested])").length === 1`)
	if got := f.surfaces(1); len(got) != 1 {
		t.Errorf("the note has %q", got)
	}
}
