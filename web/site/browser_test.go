// SPDX-License-Identifier: Apache-2.0

package site

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/browsertest"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

// visited is a server on a loopback port with a browser signed in.
type visited struct {
	*browsertest.Browser
	base     string
	requests atomic.Int64 // pages and fragments asked for, without files and live connections
}

// visitAs serves projects and signs a browser in with the role.
func visitAs(t *testing.T, projects allProjects, role account.Role) *webtest.Browser {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v := &visited{base: "http://" + l.Addr().String()}
	s, err := New(Config{Accounts: fakeAccounts{}, Projects: projects, Legacy: projects, Features: everything(projects), PublicOrigin: v.Base, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/static/") && r.Header.Get("Upgrade") == "" {
			v.Requests.Add(1)
		}
		s.Handler().ServeHTTP(w, r)
	})
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(s.stopLive)
	v.Browser = browsertest.Start(t)
	v.SetCookie(v.Base, s.cookie, string(role))
	return v
}

func TestPublishPagesAreAccessible(t *testing.T) {
	v := openBrowser(t, account.Broker, madePublish())
	for _, page := range []struct{ name, path string }{
		{"publish", "/p/p1/publish"},
		{"release", "/p/p1/releases/1"},
	} {
		v.Open(v.Base + page.path)
		v.Axe()
		v.Shots(page.name)
	}
}

func TestEmptyPublishPageIsAccessible(t *testing.T) {
	v := openBrowser(t, account.Broker, newFakeSanitize())
	for _, page := range []struct{ name, path string }{{"publish-empty", "/p/p1/publish"}} {
		v.Open(v.Base + page.path)
		v.Axe()
		v.Shots(page.name)
	}
}

// The text before the passage holds letters that are one code point and two or
// four bytes, and one of two UTF-16 units.
func TestLeakOpensItsNoteAtItsPlace(t *testing.T) {
	f := newFakeNotes("Zoë 🌡 38.2. " + strings.Repeat("All well. ", 400) + "Seen by Rose today.")
	v := openBrowser(t, account.Broker, f)
	start := 12 + 10*400 + len("Seen by ")
	url := placeURL("p1", project.Excerpt{Document: 1, Start: annotate.RuneOff(start), End: annotate.RuneOff(start + 4)})
	v.Open(v.Base + string(url))
	v.Wait("the passage is selected", `getSelection().toString() === "Rose"`)
	v.Wait("the passage is in view", `(() => { const box = getSelection().getRangeAt(0).getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight; })()`)
}

// leakedNotes are notes with a run in which one of their passages leaks.
type leakedNotes struct {
	*fakeNotes
	run *sanitize.Run
}

func (f leakedNotes) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	return []sanitize.Run{*f.run}, nil
}

func (f leakedNotes) Run(context.Context, account.User, project.ID, int) (*sanitize.Run, error) {
	return f.run, nil
}

func (leakedNotes) SampleAudits(context.Context, account.User, project.ID) ([]audit.Audit, audit.Drawing, error) {
	return nil, audit.Drawing{}, nil
}

func TestLeakIsReachedAndLeftByKeyboard(t *testing.T) {
	run := webtest.MadeRun()
	at := annotate.RuneOff(len("All well. Seen by "))
	for i := range run.Choices {
		run.Choices[i].Leaks = []project.Excerpt{
			{Document: 1, Start: 0, End: 3, Text: "All", Label: "PATIENT"}, {Document: 1, Start: at, End: at + 4, Text: "Rose", Label: "DOCTOR"},
		}
	}
	v := openBrowser(t, account.Broker, leakedNotes{newFakeNotes("All well. Seen by Rose today."), run})
	v.Open(v.Base + "/p/p1/sanitize?lc=20")
	v.Focus("#leaks-20-1-0")
	v.Press("ArrowDown", "Enter")
	v.WaitPath("/p/p1/notes/1")
	v.Wait("the passage is selected", `getSelection().toString() === "Rose"`)
	v.WaitText("#note-back", "Back to the run")
	v.Axe()
	v.Shots("note-from-run")
	v.Press("<")
	v.WaitPath("/p/p1/sanitize")
	v.Wait("the entry has the focus", `document.activeElement.id === "leaks-20-1-18"`)
	v.WaitText("#lc-out", "20")
	v.Press("ArrowUp", "ArrowUp")
	v.Wait("the first entry has the focus", `document.activeElement.id === "leaks-20-1-0"`)
	v.Open(v.Base + "/p/p1/notes/1")
	v.Wait("no way back", `document.getElementById("note-back").hidden`)
}

// What is lost in several places is one entry, which the arrow keys lead into once it
// is unfolded, and a note that was opened from it comes back to it.
func TestPlacesOfALostWordAreReachedByKeyboard(t *testing.T) {
	run := webtest.MadeRun()
	at := annotate.RuneOff(len("All well. Seen by "))
	for i := range run.Choices {
		run.Choices[i].Lost = []project.Excerpt{
			{Document: 1, Start: 0, End: 3, Text: "All", Often: 2}, {Document: 1, Start: at, End: at + 4, Text: "All", Often: 2}, {Document: 1, Start: 4, End: 8, Text: "well", Often: 1},
		}
	}
	v := openBrowser(t, account.Broker, leakedNotes{newFakeNotes("All well. Seen by Rose today."), run})
	v.Open(v.Base + "/p/p1/sanitize?lc=20")
	v.Focus("#lost-20-1-4")
	v.Press("ArrowUp")
	v.Wait("the word has the focus", `document.activeElement.matches("summary")`)
	v.Press("Enter", "ArrowDown", "ArrowDown")
	v.Wait("its second place has the focus", `document.activeElement.id === "lost-20-1-18"`)
	v.Press("Enter")
	v.WaitPath("/p/p1/notes/1")
	v.Wait("the passage is selected", `getSelection().toString() === "Rose"`)
	v.Press("<")
	v.WaitPath("/p/p1/sanitize")
	v.Wait("the entry has the focus, and stands open", `document.activeElement.id === "lost-20-1-18" && document.activeElement.checkVisibility()`)
	v.Press("ArrowDown")
	v.Wait("the next word has the focus", `document.activeElement.id === "lost-20-1-4"`)
	v.Axe()
	v.Shots("sanitize-lost")
}
