// SPDX-License-Identifier: Apache-2.0

package site

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/web/webtest"
)

func TestTheModelIsLinkedForThoseWhoMayReadIt(t *testing.T) {
	projects, id := webtest.RealProject(t, 1)
	base := "/p/" + string(id)
	s := newServer(t, projects)
	for role, want := range map[account.Role]bool{account.Admin: true, account.Broker: true, account.Reviewer: true, account.Annotator: false} {
		page := s.Get(role, base).Body.String()
		if got := strings.Contains(page, `href="`+base+`/model"`); got != want || !strings.Contains(page, "<h1>Ward 7</h1>") {
			t.Errorf("%s: the link is there: %t", role, got)
		}
	}
}

// From the project to its settings and to its dictionaries, with keys alone.
func TestPagesOfTheModelAreReachedByKeyboard(t *testing.T) {
	projects, id := webtest.RealProject(t, 1)
	base := "/p/" + string(id)
	v := openBrowser(t, account.Broker, projects)
	for path, title := range map[string]string{"/settings": "Settings", "/dictionaries": "Dictionaries"} {
		v.Open(v.Base + base)
		v.Focus(`main a[href$="` + path + `"]`)
		v.Press("Enter")
		v.WaitPath(base + path)
		v.WaitText("h1", title)
	}
}

// From the project to a figure of its model, with keys alone.
func TestModelIsReachedByKeyboard(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.HardNotes(9))
	webtest.Checked(t, projects, id)
	v := openBrowser(t, account.Reviewer, projects)
	v.Open(v.Base + "/p/" + string(id))
	v.Focus(`a[href$="/model"]`)
	v.Press("Enter")
	v.WaitText("h1", "The model")
	v.Settle() // the first live frame replaces the part where the keys go
	v.Focus(`a[href="#good"]`)
	v.Press("Enter")
	v.Wait("the figures in view", `document.getElementById("good").getBoundingClientRect().top < innerHeight`)
	v.Press("Tab")
	v.Wait("the first table can be scrolled", `document.activeElement.getAttribute("aria-label") === "Spans by label, table"`)
}

// From the list of notes to an error in its note, with keys alone.
func TestErrorIsFoundByKeyboardAndOpensItsNote(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.HardNotes(9))
	webtest.Checked(t, projects, id)
	v := openBrowser(t, account.Annotator, projects)
	v.Open(v.Base + "/p/" + string(id) + "/notes")
	v.Focus(`a[href$="/errors"]`)
	v.Press("Enter")
	v.WaitText("h1", "What the model gets wrong")
	v.Axe()
	v.Focus("#errors-kind")
	v.Press("ArrowDown")
	v.Press("Tab", "ArrowDown", "ArrowDown")
	v.Press("Tab", "Tab", "Tab", "Enter")
	v.Wait("the filtered list", `location.search.includes("kind=miss") && location.search.includes("label=PATIENT")`)
	v.Wait("the list in view", `document.getElementById("wrong").getBoundingClientRect().top < innerHeight`)
	v.WaitText(".error-text", "rash")
	if n := v.Count(".error-group"); n != 1 {
		t.Errorf("%d texts pass the filter, want 1", n)
	}
	v.Focus(".error-places a")
	v.Press("Enter")
	v.Wait("the word is selected in its note", `getSelection().toString() === "rash"`)
	v.Wait("it is in view", `(() => { const box = getSelection().getRangeAt(0).getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight; })()`)
	if !strings.Contains(v.Path(), "/notes/") {
		t.Errorf("the page is %s", v.Path())
	}
}
